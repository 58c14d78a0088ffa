import { validateHeaderName, validateHeaderValue } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import { existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import {
  OutboundFailure,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  networksOf,
  type Networks,
} from "@faultline/plugin";
import { connect, readTarget, type Target } from "./connect.ts";
import { exchange, Deadline } from "./exchange.ts";

const usualPorts = [80, 443, 9000];

/** The addresses that the service may connect to, in addition to public addresses on the usual ports. */
export interface OutboundRules {
  /**
   * Addresses and subnets of private networks and of this machine. Metadata services and link-local addresses are still
   * refused.
   */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
}

/**
 * The duration of each refusal of an address, regardless of the request's time. It is longer than a lookup, so that a
 * refused address, a name without addresses and a silent name server take the same time.
 */
const refusalMs = 2_000;

/** Every request to another system goes through here; see Outbound for its guarantees. */
export class OutboundClient implements Outbound {
  readonly #ports: ReadonlySet<number>;
  readonly #addresses: AddressRules;
  readonly #nameServers: readonly string[] | undefined;
  readonly #own: () => readonly string[];

  /**
   * `own` gives the URLs of this service, which it does not call. `nameServers` have the form `address:port`; the
   * default is the name servers of the system.
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
    const answer = await exchange(socket, target, request, deadline); // awaited: the deadline ends with this function
    const thisMachine = addressesOfThisMachine();
    return { ...answer, isPublic: addresses.every((address) => this.#addresses.isPublic(address, thisMachine)) };
  }

  /**
   * The addresses to connect to. Empty if any address is refused: a name that mixes refused and public addresses is
   * malicious.
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

/** Time for the lookup of a name, enough for two tries of a silent name server. */
const resolveMs = 1_500;

/**
 * The addresses of a host, IPv4 first; empty if it has none, or if none arrived in time. Queries name servers directly,
 * not through `dns.lookup`, which waits in the thread pool of SQLite: slow foreign name servers would block all
 * storing. The hosts file and search domains are therefore ignored.
 */
async function addressesOf(
  host: string,
  { nameServers, signal }: { nameServers: readonly string[] | undefined; signal: AbortSignal },
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (/(?:^|\.)localhost$/.test(host)) return ["127.0.0.1"]; // RFC 6761, 6.3: regardless of name servers
  // A resolver per lookup: making it takes 0.03 ms, reads the system's current name servers, and remembers no answer.
  const resolver = new dns.Resolver({ timeout: 600, tries: 2, maxTimeout: 600 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const giveUp = () => resolver.cancel();
  const timer = setTimeout(giveUp, resolveMs);
  signal.addEventListener("abort", giveUp);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  // One of the two families often has no address, and its name server may even be silent: the other answer counts.
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** Every current address of this machine. Its interfaces may change while the service runs. */
function addressesOfThisMachine(): Networks {
  return networksOf(["127.0.0.0/8", "::1", ...addressesOfInterfaces()]);
}

function addressesOfInterfaces(): string[] {
  try {
    return Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  } catch {
    // A hardened service may not open sockets of AF_NETLINK, which list interfaces; the tables of the kernel have them
    // too.
    return addressesInTables({
      ipv4: readFileSync("/proc/self/net/fib_trie", "latin1"),
      ipv6: readIfThere("/proc/self/net/if_inet6"),
    });
  }
}

/** Reads a table of the kernel, which lacks the IPv6 table if IPv6 is off. */
const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, "latin1") : "");

/** The addresses of this machine, from the text of the kernel's routes and IPv6 interfaces. */
function addressesInTables({ ipv4, ipv6 }: { ipv4: string; ipv6: string }): string[] {
  const local = [...ipv4.matchAll(/\|-- (\S+)\n\s+\/32 host LOCAL/g)].map(([, address = ""]) => address);
  const interfaces = [...ipv6.matchAll(/^[0-9a-f]{32}/gm)].map(([digits]) => digits.match(/.{4}/g)?.join(":") ?? "");
  return [...new Set([...local, ...interfaces])];
}

/**
 * Whether a request would come back to this service. `own` are its URLs: a URL with a name matches by name and port. A
 * URL with an address, on which it listens, matches its port at every address of this machine.
 */
function isOwn(
  { host, port }: Target,
  addresses: readonly string[],
  { own, thisMachine }: { own: readonly string[]; thisMachine: Networks },
): boolean {
  return own.some((url) => {
    const ours = readTarget(url);
    if (ours === undefined || ours.port !== port) return false;
    return ours.host === host || (isIP(ours.host) !== 0 && addresses.some((address) => thisMachine.has(address)));
  });
}

/** Global unicast (RFC 4291). The rest of IPv6, including mapped and translated IPv4 addresses, is not public. */
const publicIpv6 = networksOf(["2000::/3"]);

/**
 * Networks that cannot be reached from the internet or have no hosts there (IANA special-purpose registries of 2025),
 * and networks with an IPv4 address in their addresses: Teredo (in 2001::/23) and 6to4.
 */
const special = networksOf([
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);

/** Private networks, which the operator may allow: private use, loopback, shared space of carriers, unique local. */
const privateNetworks = networksOf([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
]);

/**
 * Addresses that nobody can allow: addresses by which clouds hand credentials to their machines (some are in networks
 * that can be allowed, and one is in public space), link-local addresses, and addresses that belong to no host.
 */
const forbidden = networksOf([
  "0.0.0.0/8",
  "169.254.0.0/16", // link-local: metadata of most clouds
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure
  "192.0.0.192/32", // Oracle
  "224.0.0.0/4",
  "240.0.0.0/4", // reserved, and broadcast
  "::/128",
  "fe80::/10",
  "fec0::/10",
  "fd00:ec2::/32", // Amazon
  "fd00:42::42/128", // Scaleway
  "fd20:ce::254/128", // Google
  "ff00::/8",
]);

/** Decides whether an address may be connected to. It compares bytes, so that the notation makes no difference. */
export class AddressRules {
  readonly #allowed: Networks;

  /** `networks` are the private addresses and subnets, and the addresses of this machine, that the operator allows. */
  constructor(networks: readonly string[]) {
    this.#allowed = networksOf(networks);
  }

  /**
   * Whether `address` may be connected to; a text that is not an IP address may not. A public address of `thisMachine`
   * must be allowed like a private address: a connection to it goes over loopback, past most firewalls of a host.
   */
  allows(address: string, thisMachine: Networks): boolean {
    const family = isIP(address);
    if (family === 0 || address.includes("%") || forbidden.has(address)) return false;
    if (privateNetworks.has(address)) return this.#allowed.has(address);
    if (special.has(address) || (family === 6 && !publicIpv6.has(address))) return false;
    return !thisMachine.has(address) || this.#allowed.has(address);
  }

  /** Whether an allowed address is allowed for everybody, and not by the operator's choice. */
  isPublic(address: string, thisMachine: Networks): boolean {
    return !privateNetworks.has(address) && !thisMachine.has(address);
  }
}
