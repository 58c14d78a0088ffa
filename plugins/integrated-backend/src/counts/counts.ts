import { isPlaceTag, isUserTag } from "@faultline/sentry-event";

/** The key of users. Their counts are in integrated_user. */
export const userKey = "";

/** The value that represents all values beyond the limits of an error. */
export const otherValues = "";

/** The parts of an event that are counted. */
export interface CountedEvent {
  readonly occurredAt: number;
  /** Empty if the event names no user or its user is already counted. */
  readonly user: string;
  readonly level: string;
  readonly release: string;
  readonly environment: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The names of the user, written by `namesToStore`. Empty if they are unknown or the event names no user. */
  readonly names: string;
}

/** The number of events with a value, and their times in milliseconds since 1970. */
export interface Count {
  readonly key: string;
  readonly value: string;
  eventCount: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** The names of a user in the newest event. Empty if they are unknown or the value is not a user. */
  names: string;
}

/** The keys of an event's own fields. A tag with such a name is not counted. */
const fields = new Set(["level", "release", "environment"]);

/** Passes each counted value of an event. */
export function eachFact(event: CountedEvent, pass: (key: string, value: string) => void): void {
  const { user, level, release, environment, tags } = event;
  if (user !== "") pass(userKey, user);
  if (level !== "") pass("level", level);
  if (release !== "") pass("release", release);
  if (environment !== "") pass("environment", environment);
  for (const key in tags) {
    const value = tags[key];
    const isCounted = key !== "" && !fields.has(key) && !isUserTag(key) && !isPlaceTag(key);
    if (value !== undefined && value !== "" && isCounted) pass(key, value);
  }
}

/** Counts the events of errors, each with a key, by user and tag. */
export class Counts {
  readonly #errors = new Map<string, CountsOfError>();
  #size = 0;

  /** The number of counts. */
  get size(): number {
    return this.#size;
  }

  add(errorKey: string, event: CountedEvent): void {
    const counts = this.#of(errorKey);
    const before = counts.size;
    eachFact(event, (key, value) => counts.add(key, value, event));
    this.#size += counts.size - before;
  }

  /** Adds all counts of another instance. */
  addAll(other: Counts): void {
    for (const [errorKey, counts] of other.#errors) {
      for (const count of counts.values()) this.#addCount(errorKey, count);
    }
  }

  /** Moves the counts of one error to another error. */
  move(from: string, to: string): void {
    const counts = this.#errors.get(from);
    if (!counts) return;
    this.#errors.delete(from);
    this.#size -= counts.size;
    for (const count of counts.values()) this.#addCount(to, count);
  }

  *entries(): Generator<readonly [errorKey: string, count: Count]> {
    for (const [errorKey, counts] of this.#errors) for (const count of counts.values()) yield [errorKey, count];
  }

  #addCount(errorKey: string, count: Count): void {
    const counts = this.#of(errorKey);
    const before = counts.size;
    counts.addCount(count);
    this.#size += counts.size - before;
  }

  #of(errorKey: string): CountsOfError {
    let counts = this.#errors.get(errorKey);
    if (!counts) this.#errors.set(errorKey, (counts = new CountsOfError()));
    return counts;
  }
}

/**
 * Keyed by value, because two keys rarely share a value: the texts of an event are looked up without building new
 * texts.
 */
class CountsOfError {
  readonly #byValue = new Map<string, Count>();
  /** The counts of values that also have another key. */
  readonly #others = new Map<string, Count>();

  get size(): number {
    return this.#byValue.size + this.#others.size;
  }

  add(key: string, value: string, { occurredAt: at, names: all }: CountedEvent): void {
    const count = this.#find(key, value);
    const names = key === userKey ? all : "";
    if (!count) return this.#set({ key, value, eventCount: 1, firstSeenAt: at, lastSeenAt: at, names });
    count.eventCount += 1;
    if (at < count.firstSeenAt) count.firstSeenAt = at;
    if (at < count.lastSeenAt) return;
    count.lastSeenAt = at;
    count.names = names;
  }

  addCount(added: Count): void {
    const count = this.#find(added.key, added.value);
    if (!count) return this.#set({ ...added });
    count.eventCount += added.eventCount;
    count.firstSeenAt = Math.min(count.firstSeenAt, added.firstSeenAt);
    if (added.lastSeenAt < count.lastSeenAt) return;
    count.lastSeenAt = added.lastSeenAt;
    count.names = added.names;
  }

  *values(): Generator<Count> {
    yield* this.#byValue.values();
    yield* this.#others.values();
  }

  #find(key: string, value: string): Count | undefined {
    const first = this.#byValue.get(value);
    return first === undefined || first.key === key ? first : this.#others.get(`${key}\0${value}`);
  }

  #set(count: Count): void {
    if (this.#byValue.has(count.value)) this.#others.set(`${count.key}\0${count.value}`, count);
    else this.#byValue.set(count.value, count);
  }
}
