import { hash } from "node:crypto";
import { clientNetwork, ServiceError, wideNetwork, type Announcements, type Clock } from "@faultline/plugin";
import { backoff, BoundedMap, jittered, RecentTimes } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";

const windowMs = 60_000;
/** Attempts at a name from one network, and from a known device. */
const perOrigin = 10;
const perNetwork = 50;

/** The delay of a name begins after this many attempts and doubles with each further attempt. */
const undelayed = 10;
const delays = { firstMs: 250, longestMs: 4_000 };

/** Attempts at a name from all unknown networks together. */
const perName = 30;
/** Additional attempts at a name from wide networks that did not try it within `freshMs`. */
const perNameFresh = 30;
const freshMs = 3_600_000;

/** Names with known networks, and networks of a name. */
const namesKnown = 10_000;
const networksKnown = 10;

const subject = "sign-in";

export interface Attempt {
  /** As typed. A name of no user is counted too, and an e-mail address is counted separately from the user name. */
  readonly name: string;
  /** Empty if unknown. Such attempts only count for the name, as if all came from one network. */
  readonly clientAddress: string;
  /** The token of a device on which this user signed in before. */
  readonly device?: string | undefined;
  /** Whether the person is signed in and enters the password again. */
  readonly isSignedIn?: boolean;
}

/** The keys that an attempt counts for. */
interface Keys {
  /** The key of this person alone: the name from this network, or the known device. */
  readonly origin: string;
  /** The keys that attempts of others count for too. */
  readonly shared: readonly string[];
}

/** The announcement of an attempt to other processes. */
interface Announced extends Keys {
  readonly isForgiven: boolean;
  /**
   * The name from a wide network, remembered for `freshMs`. Undefined from an earlier release and for forgiven
   * attempts.
   */
  readonly tried?: string;
  /** The name and the network of a success. */
  readonly right?: readonly [name: string, network: string];
}

/**
 * Limits the failed sign-ins of a minute to 10 per name from one network and to 50 per network. From the eleventh
 * attempt at a name on, from any network, each attempt waits longer, at most four seconds. The longest wait is drawn
 * between two and four seconds: many guesses that begin together would otherwise be checked together. A device that
 * signed in before is counted separately, so that guesses of others do not affect it.
 *
 * A name is never refused to such a device, nor in a network in which it was right before, because anybody could then
 * lock its owner out. For everybody else it is refused after 30 attempts a minute: delays do not bound concurrent
 * guesses (468 were checked in 10 s), and a wait that bounds them is longer than a call may take. 30 more attempts are
 * open to wide networks that did not try the name within the hour, so that its owner is not refused at a new place: to
 * lock the owner out, an attacker needs 30 new /24 or /48 networks every minute.
 *
 * An attempt counts from its beginning, so that concurrent attempts are bounded too; refused attempts do not count, so
 * that nobody waits longer than the minute. In memory: a restart resets it, and forgets the networks in which a name
 * was right. Attempts in other processes count as soon as this process is notified.
 */
export class SignInThrottle {
  readonly #announcements: Announcements;
  readonly #attempts: RecentTimes;
  /** By name and wide network. */
  readonly #tried: RecentTimes;
  /** The last networks in which a name was right, by name, so that one person does not evict the networks of others. */
  readonly #right = new BoundedMap<string, readonly string[]>(namesKnown);
  readonly #draw: () => number;

  /** `draw` returns a uniform number from 0 to below 1. */
  constructor(clock: Clock, announcements: Announcements, draw: () => number = Math.random) {
    this.#draw = draw;
    this.#attempts = new RecentTimes(clock, { windowMs, timesKept: perName + perNameFresh });
    this.#tried = new RecentTimes(clock, { windowMs: freshMs, timesKept: 1 });
    this.#announcements = announcements;
    announcements.subscribe(subject, (text) => this.#note(JSON.parse(text) as Announced)); // only `#announce` sends it
  }

  /** Whether the name was right in this network before. */
  knowsNetwork(attempt: Attempt): boolean {
    const [name, network] = placeOf(attempt);
    return this.#right.get(name)?.includes(network) ?? false;
  }

  /** Counts an attempt and returns how many milliseconds it must wait, or refuses it with TOO_MANY_ATTEMPTS. */
  begin(attempt: Attempt): number {
    const { origin, network, name, tried } = keysOf(attempt);
    const count = this.#count(name);
    const room = this.#tried.of(tried).length > 0 ? perName : perName + perNameFresh;
    const isRefused = name !== "" && !attempt.isSignedIn && !this.knowsNetwork(attempt) && count >= room;
    if (isRefused || this.#count(origin) >= perOrigin || this.#count(network) >= perNetwork) {
      throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many attempts. Try again in a minute.");
    }
    const excess = count - undelayed;
    this.#announce({ origin, shared: present(network, name), isForgiven: false, tried });
    if (excess < 0) return 0;
    const delayMs = backoff(excess + 1, delays);
    return delayMs < delays.longestMs ? delayMs : jittered(delayMs, this.#draw());
  }

  /**
   * Forgives all attempts of the origin, but only this attempt of the shared keys: otherwise an attacker's own account
   * would make room for guesses at others, and the owner's sign-in would shorten the attacker's delay.
   */
  succeeded(attempt: Attempt): void {
    const { origin, network, name } = keysOf(attempt);
    const right = attempt.clientAddress === "" ? {} : { right: placeOf(attempt) };
    this.#announce({ origin, shared: present(network, name), isForgiven: true, ...right });
  }

  /** Takes an attempt back because its password was not checked. */
  tookBack(attempt: Attempt): void {
    const { origin, network, name } = keysOf(attempt);
    this.#announce({ origin: "", shared: present(origin, network, name), isForgiven: true });
  }

  #count(key: string): number {
    return this.#attempts.of(key).length;
  }

  #announce(announced: Announced): void {
    this.#note(announced);
    this.#announcements.announce(subject, JSON.stringify(announced));
  }

  #note({ origin, shared, isForgiven, tried = "", right }: Announced): void {
    if (tried !== "") this.#tried.note(tried);
    if (right) this.#noteRight(...right);
    if (isForgiven) this.#attempts.forget(origin);
    else this.#attempts.note(origin);
    for (const key of shared) {
      if (isForgiven) this.#attempts.takeBack(key);
      else this.#attempts.note(key);
    }
  }

  #noteRight(name: string, network: string): void {
    const others = (this.#right.get(name) ?? []).filter((known) => known !== network);
    this.#right.set(name, [...others, network].slice(-networksKnown));
  }
}

/** The name and the network of an attempt. */
function placeOf({ name, clientAddress }: Attempt): readonly [name: string, network: string] {
  return [digest(name.toLowerCase()), digest(clientNetwork(clientAddress))];
}

/** The keys of an attempt; empty parts are not counted. */
function keysOf({ name, clientAddress, device }: Attempt) {
  if (device !== undefined) return { origin: `device ${digest(device)}`, network: "", name: "", tried: "" };
  const network = clientAddress === "" ? "" : clientNetwork(clientAddress);
  const typed = digest(name.toLowerCase());
  return {
    origin: `origin ${digest(`${typed} ${network}`)}`,
    network: network === "" ? "" : `network ${digest(network)}`,
    name: `name ${typed}`,
    tried: digest(`${typed} ${wideNetwork(clientAddress)}`),
  };
}

const present = (...keys: readonly string[]) => keys.filter((key) => key !== "");

/** Shortens names and addresses: they come from anybody and may be megabytes long. */
function digest(text: string): string {
  return hash("sha256", text, "base64url");
}
