import { validateHeaderName, validateHeaderValue } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { OutboundFailure, type Outbound, type OutboundAnswer, type OutboundRequest } from "@faultline/plugin";
import { AddressRules } from "./address-rules.ts";
import { connect } from "./connect.ts";
import { Deadline } from "./deadline.ts";
import { exchange } from "./exchange.ts";
import { addressesOfThisMachine, isOwn } from "./own-addresses.ts";
import { addressesOf } from "./resolve.ts";
import { readTarget, type Target } from "./target.ts";

const usualPorts = [80, 443, 9000];

/** The addresses that the service may connect to besides public ones on the usual ports. */
export interface OutboundRules {
  /** Addresses and subnets of private networks, and of this machine. Metadata services and link-local addresses stay refused. */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
}

/**
 * The duration of each refusal of an address, whatever time the request has: longer than a lookup, so that a refused
 * address, a name without addresses and a silent name server take the same time.
 */
const refusalMs = 2_000;

/** Every request to another system goes through here; see Outbound for its guarantees. */
export class OutboundClient implements Outbound {
  readonly #ports: ReadonlySet<number>;
  readonly #addresses: AddressRules;
  readonly #nameServers: readonly string[] | undefined;
  readonly #own: () => readonly string[];

  /**
   * `own` gives the URLs of this service, which it does not call. `nameServers` are written as `address:port`; absent: those
   * of the system.
   */
  constructor(parts: {
    rules: OutboundRules;
    own: () => readonly string[];
    nameServers?: readonly string[] | undefined;
  }) {
    const { rules, own, nameServers } = parts;
    this.#ports = new Set([...usualPorts, ...rules.ports]);
    this.#addresses = new AddressRules(rules.networks);
    this.#nameServers = nameServers;
    this.#own = own;
  }

  async request(request: OutboundRequest): Promise<OutboundAnswer> {
    checkHeaders(request.headers ?? {});
    const begun = performance.now();
    using deadline = new Deadline(request.timeoutMs, request.signal);
    const { signal } = deadline;
    signal.throwIfAborted();
    const target = readTarget(request.url);
    const addresses = target ? await this.#judged(target, signal) : [];
    if (target === undefined || addresses.length === 0) {
      await delay(begun + refusalMs - performance.now(), undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      throw new OutboundFailure("address", "the address is neither public nor allowed, or it does not exist");
    }
    deadline.expect("connect_timeout", "a connection");
    const socket = await connect(addresses, target, signal);
    const answer = await exchange(socket, target, request, deadline); // awaited here, as the deadline ends with this function
    const thisMachine = addressesOfThisMachine();
    return { ...answer, isPublic: addresses.every((address) => this.#addresses.isPublic(address, thisMachine)) };
  }

  /**
   * The addresses to connect to. Empty when a single one is refused: a name that mixes them with public ones means
   * harm.
   */
  async #judged(target: Target, signal: AbortSignal): Promise<readonly string[]> {
    const { host, port } = target;
    const addresses = await addressesOf(host, { nameServers: this.#nameServers, signal });
    const thisMachine = addressesOfThisMachine();
    const isFine =
      this.#ports.has(port) &&
      addresses.every((address) => this.#addresses.allows(address, thisMachine)) &&
      !isOwn(target, addresses, { own: this.#own(), thisMachine });
    return isFine ? addresses : [];
  }
}

/** Refuses headers that cannot be sent, such as a token with a line break, before any lookup. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    throw new OutboundFailure("protocol", "a header cannot be sent", { cause: error });
  }
}
