import {
  dayMs,
  listsToAnnounce,
  type Admission,
  type Announcements,
  type Clock,
  type EventDoor,
  type RateCategory,
  type RateLimit,
} from "@faultline/plugin";
import { Delayed } from "@faultline/plugin/flow";
import { WindowShares } from "./window-shares.ts";

const minuteMs = 60_000;

/** The longest announced wait for a day's limit, so that a raised limit or another key takes effect before midnight. */
const longestWaitSeconds = 3600;

/** The categories that count as events. */
const eventCategories: ReadonlySet<RateCategory> = new Set(["error", "security"]);

const subject = "key limits";

/** How often a process announces the events it took. */
const announceMs = 250;

/** An item that takes room. See EventDoor.spend for `count`. */
interface SpentItem {
  readonly category: RateCategory;
  readonly count: number | undefined;
}

/** The number of events of a key in the current minute and day of the clock. */
interface Taken {
  minute: number;
  inMinute: number;
  day: number;
  inDay: number;
  /** The shares of its networks, by the window's milliseconds. */
  readonly shares: Map<number, WindowShares>;
}

/**
 * The limits of client keys: events a minute and a day. Each process counts in memory and announces the events it took,
 * so that the limits hold for all processes together, except for the events of a quarter of a second. The count of the
 * day starts from the key's stored traffic, so it survives a restart. The networks of a key's senders have shares.
 */
export class KeyLimits {
  readonly #clock: Clock;
  readonly #announcements: Announcements;
  /** The counts by key, of keys with limits only. */
  readonly #taken = new Map<number, Taken>();
  #unannounced = new Map<number, number>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  constructor(clock: Clock, announcements: Announcements) {
    this.#clock = clock;
    this.#announcements = announcements;
    announcements.subscribe(subject, (text) => {
      for (const [keyId, events] of JSON.parse(text) as [number, number][]) this.#add(this.#of(keyId), events);
    });
  }

  /**
   * See EventDoor.spend: takes one item from these limits and the rate limits. An item refused by either counts in
   * neither.
   */
  spend(admission: Admission, item: SpentItem, rateLimits: Pick<EventDoor, "spend">): RateLimit | undefined {
    const { category, count } = item;
    if (!admission.limits || !eventCategories.has(category)) return rateLimits.spend(admission, category, count);
    const reached = this.#reached(admission);
    if (reached) return reached;
    const limit = rateLimits.spend(admission, category, count);
    if (limit?.isExceeded !== true) this.#take(admission);
    return limit;
  }

  /** The limit that is used up; undefined if there is room for another event. */
  #reached({ keyId, limits, network }: Admission): RateLimit | undefined {
    if (!limits) return undefined;
    const { perMinute, perDay, counted } = limits;
    const taken = this.#of(keyId);
    if (counted.day === taken.day) taken.inDay = Math.max(taken.inDay, counted.events);
    const ofDay = { limit: perDay, windowMs: dayMs, network };
    const ofMinute = { limit: perMinute, windowMs: minuteMs, network };
    if (perDay > 0 && taken.inDay >= perDay - this.#left(taken, ofDay)) return this.#limit(dayMs);
    if (perMinute > 0 && taken.inMinute >= perMinute - this.#left(taken, ofMinute)) return this.#limit(minuteMs);
    return undefined;
  }

  /** The events that a network must leave to others. */
  #left({ shares }: Taken, { limit, windowMs, network }: { limit: number; windowMs: number; network: string }): number {
    let known = shares.get(windowMs);
    if (known?.limit !== limit) {
      known = new WindowShares(limit, windowMs);
      shares.set(windowMs, known);
    }
    return known.left(network, this.#clock.now());
  }

  #take({ keyId, network }: Admission): void {
    const taken = this.#of(keyId);
    this.#add(taken, 1);
    for (const shares of taken.shares.values()) shares.take(network, 1);
    this.#unannounced.set(keyId, (this.#unannounced.get(keyId) ?? 0) + 1);
    this.#announcing.later();
  }

  #limit(windowMs: number): RateLimit {
    const seconds = Math.ceil((windowMs - (this.#clock.now() % windowMs)) / 1000);
    return {
      reason: "key_limit",
      isExceeded: true,
      retryAfterSeconds: Math.min(seconds, longestWaitSeconds),
      scope: "key",
    };
  }

  #of(keyId: number): Taken {
    const now = this.#clock.now();
    const [minute, day] = [Math.floor(now / minuteMs), Math.floor(now / dayMs)];
    let taken = this.#taken.get(keyId);
    if (!taken) {
      taken = { minute, inMinute: 0, day, inDay: 0, shares: new Map() };
      this.#taken.set(keyId, taken);
    }
    if (taken.minute !== minute) Object.assign(taken, { minute, inMinute: 0 });
    if (taken.day !== day) Object.assign(taken, { day, inDay: 0 });
    return taken;
  }

  #add(taken: Taken, events: number): void {
    taken.inMinute += events;
    taken.inDay += events;
  }

  #announce(): void {
    const lists = listsToAnnounce(this.#unannounced);
    this.#unannounced = new Map();
    for (const list of lists) this.#announcements.announce(subject, list);
  }
}
