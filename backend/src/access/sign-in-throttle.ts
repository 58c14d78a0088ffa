import { hash } from "node:crypto";
import { ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { clientNetwork } from "./client-network.ts";

const windowMs = 60_000;
const perName = 10;
const perNetwork = 50;
const entriesKept = 10_000;

/** Whose attempt it is. */
export interface Attempt {
  /** As it was typed: a name of nobody is counted too, and an e-mail address tells nothing about a user name. */
  readonly name: string;
  /** Empty: not known, and not counted. */
  readonly clientAddress: string;
}

/**
 * Bounds the failed sign-ins of a minute to 10 a name and 50 a client network. An attempt counts from its beginning, so
 * that many at once are bounded too; refused ones do not count, so that nobody is locked out for longer than the minute.
 * In memory: a restart forgives.
 */
export class SignInThrottle {
  readonly #clock: Clock;
  /** When the attempts of the last minute began; the key used last is the last one. */
  readonly #attempts = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt or refuses it with TOO_MANY_ATTEMPTS. */
  begin({ name, clientAddress }: Attempt): void {
    const counted = [
      { key: nameKey(name), most: perName },
      ...(clientAddress === "" ? [] : [{ key: networkKey(clientAddress), most: perNetwork }]),
    ];
    if (counted.some(({ key, most }) => this.#recent(key).length >= most)) {
      throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many attempts. Try again in a minute.");
    }
    for (const { key } of counted) this.#keep(key, [...this.#recent(key), this.#clock.now()]);
  }

  /** Forgives the name, and of the network this attempt alone: else one's own account would make room for guesses. */
  succeeded({ name, clientAddress }: Attempt): void {
    this.#attempts.delete(nameKey(name));
    if (clientAddress !== "")
      this.#keep(networkKey(clientAddress), this.#recent(networkKey(clientAddress)).slice(0, -1));
  }

  #recent(key: string): number[] {
    const now = this.#clock.now();
    // After the clock jumped back, what was noted before it would count for longer than the minute.
    return (this.#attempts.get(key) ?? []).filter((at) => at > now - windowMs && at <= now);
  }

  #keep(key: string, attempts: number[]): void {
    this.#attempts.delete(key);
    if (attempts.length === 0) return;
    if (this.#attempts.size >= entriesKept) {
      const [oldest = ""] = this.#attempts.keys();
      this.#attempts.delete(oldest);
    }
    this.#attempts.set(key, attempts);
  }
}

const nameKey = (name: string) => `name ${digest(name.toLowerCase())}`;
const networkKey = (clientAddress: string) => `network ${digest(clientNetwork(clientAddress))}`;

/** Names and addresses come from anybody and may be megabytes long. */
function digest(text: string): string {
  return hash("sha256", text, "base64url");
}
