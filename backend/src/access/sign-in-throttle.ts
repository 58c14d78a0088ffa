import { hash } from "node:crypto";
import { ServiceError, type Announcements, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { clientNetwork } from "./client-network.ts";

const windowMs = 60_000;
const perName = 10;
const perNetwork = 50;
const entriesKept = 10_000;

const subject = "sign-in";

/** Whose attempt it is. */
export interface Attempt {
  /** As it was typed: a name of nobody is counted too, and an e-mail address tells nothing about a user name. */
  readonly name: string;
  /** Empty: not known, and not counted. */
  readonly clientAddress: string;
}

/** What another process tells of an attempt: the keys it counts for, and whether it succeeded. */
interface Told {
  readonly name: string;
  readonly network: string;
  readonly isForgiven: boolean;
}

/**
 * Bounds the failed sign-ins of a minute to 10 a name and 50 a client network. An attempt counts from its beginning, so
 * that many at once are bounded too; refused ones do not count, so that nobody is locked out for longer than the minute.
 * In memory: a restart forgives. What begins in other processes counts as soon as this one hears of it.
 */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #announcements: Announcements;
  /** When the attempts of the last minute began; the key used last is the last one. */
  readonly #attempts = new Map<string, number[]>();

  constructor(clock: Clock, announcements: Announcements) {
    this.#clock = clock;
    this.#announcements = announcements;
    announcements.hear(subject, (text) => this.#note(JSON.parse(text) as Told)); // told by `#tell` alone
  }

  /** Counts an attempt or refuses it with TOO_MANY_ATTEMPTS. */
  begin(attempt: Attempt): void {
    const { name, network } = keysOf(attempt);
    if (this.#recent(name).length >= perName || this.#recent(network).length >= perNetwork) {
      throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many attempts. Try again in a minute.");
    }
    this.#tell({ name, network, isForgiven: false });
  }

  /** Forgives the name, and of the network this attempt alone: else one's own account would make room for guesses. */
  succeeded(attempt: Attempt): void {
    this.#tell({ ...keysOf(attempt), isForgiven: true });
  }

  #tell(told: Told): void {
    this.#note(told);
    this.#announcements.tell(subject, JSON.stringify(told));
  }

  #note({ name, network, isForgiven }: Told): void {
    const now = this.#clock.now();
    this.#keep(name, isForgiven ? [] : [...this.#recent(name), now]);
    if (network === "") return;
    this.#keep(network, isForgiven ? this.#recent(network).slice(0, -1) : [...this.#recent(network), now]);
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

/** What an attempt counts for; an empty network is not counted. */
function keysOf({ name, clientAddress }: Attempt): { name: string; network: string } {
  return {
    name: `name ${digest(name.toLowerCase())}`,
    network: clientAddress === "" ? "" : `network ${digest(clientNetwork(clientAddress))}`,
  };
}

/** Names and addresses come from anybody and may be megabytes long. */
function digest(text: string): string {
  return hash("sha256", text, "base64url");
}
