import { hourMs, millisecondsOf } from "@faultline/plugin";
import type { ErrorEvent } from "@faultline/proto";
import type { BatchEntry, Values, WriterCache, NewRow, BatchParameters } from "./batch-parameters.ts";
import type { StoredEvent } from "../storage.ts";
import type { GroupedEvent } from "../grouping/group-events.ts";
import { eventColumns, type EventColumn } from "../tables.ts";
import { namesToStore } from "../event/stored-names.ts";
import { newErrorMs } from "./new-errors.ts";
import { otherErrors, otherErrorsHash, summaryOf, type Summary } from "../event/summary.ts";
import { storableJson } from "../event/storable-json.ts";

const dayMs = 24 * hourMs;

/** The groups that a batch changed, by project. */
export type Changes = ReadonlyMap<number, ReadonlySet<string>>;

/** A tag that may not be stored yet, and its entry. */
interface ToWrite {
  readonly row: NewRow;
  readonly entry: BatchEntry<"tags">;
}

/** The sums that the events of a batch add to one user of an error. */
interface User {
  readonly projectId: number;
  readonly hash: string;
  readonly user: string;
  readonly day: number;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** The names in the newest event. */
  names: ErrorEvent["userNames"];
}

/** The sums that the events of a batch add to one error. */
interface Group {
  readonly projectId: number;
  readonly hash: string;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  newest: ErrorEvent;
  newestSummary: Summary;
  /** The release of the earliest event. If that event has none, the counts of the error find the first release. */
  firstRelease: string;
  lastRelease: string;
}

/** Gathers the rows of a batch and adds up their counters, so that each row is written once. */
export class Batch {
  readonly #knownRows: WriterCache["knownRows"];
  readonly #groups = new Map<string, Group>();
  readonly #events: BatchEntry<"events">[] = [];
  readonly #stored: StoredEvent[] = [];
  readonly #payloads: Uint8Array[] = [];
  readonly #places: BatchEntry<"places">[] = [];
  readonly #hours = new Map<string, [projectId: number, hash: string, hour: number, count: number]>();
  readonly #users = new Map<string, User>();
  readonly #tags = new Map<string, ToWrite>();
  readonly #usage = new Map<number, [projectId: number, events: number, bytes: number]>();
  readonly #newErrors = new Map<string, number>();
  #payloadEnd = 1; // SQL counts bytes from 1
  #now = 0;

  constructor({ rowIds, knownRows }: WriterCache, events: readonly GroupedEvent[]) {
    this.#knownRows = knownRows;
    for (const event of events) this.#add(rowIds.next(), event);
  }

  parameters(): BatchParameters {
    return {
      errors: storableJson(Array.from(this.#groups.values(), errorEntry)),
      events: storableJson(this.#events),
      payloads: Buffer.concat(this.#payloads),
      places: storableJson(this.#places),
      hours: storableJson([...this.#hours.values()]),
      users: storableJson(Array.from(this.#users.values(), userEntry)),
      tags: storableJson(Array.from(this.#tags.values(), entryOf)),
      usage: storableJson([...this.#usage.values()]),
      newErrors: storableJson(this.#newErrorEntries()),
      now: this.#now,
    };
  }

  /** The tags to write, for KnownRows. */
  newRows(): NewRow[] {
    return Array.from(this.#tags.values(), ({ row }) => row);
  }

  /** The events of the batch, to be counted. */
  get stored(): readonly StoredEvent[] {
    return this.#stored;
  }

  changes(): Changes {
    const changes = new Map<number, Set<string>>();
    for (const { projectId, hash } of this.#groups.values()) {
      const hashes = changes.get(projectId);
      if (hashes) hashes.add(hash);
      else changes.set(projectId, new Set([hash]));
    }
    return changes;
  }

  #newErrorEntries(): BatchEntry<"newErrors">[] {
    if (this.#newErrors.size === 0) return [];
    const counts = Map.groupBy(this.#newErrors.values(), (projectId) => projectId);
    const day = Math.floor(this.#now / dayMs);
    return Array.from(counts, ([projectId, { length }]) => [projectId, day, length, this.#now + length * newErrorMs]);
  }

  #add(rowId: number, { event, hash, key: group, isNew }: GroupedEvent): void {
    const { projectId, eventId, user, userNames: names, release, environment, level, payload, tags, keyId } = event;
    const receivedAt = event.receivedTime ? millisecondsOf(event.receivedTime) : 0;
    const occurredAt = event.occurredTime ? millisecondsOf(event.occurredTime) : receivedAt;
    const summary = summaryOf(event);
    const day = Math.floor(receivedAt / dayMs);

    this.#now = Math.max(this.#now, receivedAt);
    if (isNew) this.#newErrors.set(group, projectId);
    this.#addToGroup(group, { projectId, hash, event, summary, occurredAt });
    const { title } = summary;
    this.#events.push(
      [projectId, hash, rowId, eventId, occurredAt, receivedAt, title, user, release, environment, level, keyId], // one row
    );
    this.#stored.push({ errorKey: group, rowId, occurredAt, user: "", names: "", level, release, environment, tags });
    this.#payloads.push(payload);
    this.#places.push(
      [rowId, this.#payloadEnd, payload.length, event.payloadEncoding, event.payloadOffset, event.payloadLength], // one row
    );
    this.#payloadEnd += payload.length;
    const usage = this.#usage.get(projectId);
    if (usage) {
      usage[1]++;
      usage[2] += payload.length;
    } else this.#usage.set(projectId, [projectId, 1, payload.length]);

    const hour = Math.floor(occurredAt / hourMs);
    const counted = this.#hours.get(`${group}/${hour}`);
    if (counted) counted[3]++;
    else this.#hours.set(`${group}/${hour}`, [projectId, hash, hour, 1]);

    const errorAndDay = `${day}/${group}`;
    if (user !== "") this.#addToUser(`${errorAndDay}/${user}`, { projectId, hash, user, names, day, occurredAt });
    const known = this.#knownRows.of(errorAndDay);
    const addTag = (key: string, value: string) => {
      if (value === "" || known.has(key, value)) return;
      const entry: BatchEntry<"tags"> = [projectId, hash, key, value, day];
      this.#tags.set(`${errorAndDay}/${key}\0${value}`, { row: [errorAndDay, key, value], entry });
    };
    for (const key in tags) addTag(key, tags[key] ?? "");
    addTag("release", release);
    addTag("environment", environment);
  }

  #addToUser(key: string, { occurredAt, ...one }: Omit<User, "count" | "firstSeenAt" | "lastSeenAt"> & At): void {
    const user = this.#users.get(key);
    if (!user) {
      this.#users.set(key, { ...one, count: 1, firstSeenAt: occurredAt, lastSeenAt: occurredAt });
      return;
    }
    user.count++;
    user.firstSeenAt = Math.min(user.firstSeenAt, occurredAt);
    if (occurredAt < user.lastSeenAt) return;
    user.lastSeenAt = occurredAt;
    user.names = one.names;
  }

  #addToGroup(
    key: string,
    one: { projectId: number; hash: string; event: ErrorEvent; summary: Summary; occurredAt: number },
  ): void {
    const { projectId, hash, event, summary, occurredAt } = one;
    const { release } = event;
    const group = this.#groups.get(key);
    if (!group) {
      this.#groups.set(key, {
        projectId,
        hash,
        count: 1,
        firstSeenAt: occurredAt,
        lastSeenAt: occurredAt,
        newest: event,
        newestSummary: summary,
        firstRelease: release,
        lastRelease: release,
      });
      return;
    }
    group.count++;
    if (occurredAt < group.firstSeenAt) {
      group.firstSeenAt = occurredAt;
      group.firstRelease = release;
    }
    if (occurredAt >= group.lastSeenAt) {
      group.lastSeenAt = occurredAt;
      group.newest = event;
      group.newestSummary = summary;
      group.lastRelease = release || group.lastRelease;
    }
    group.lastRelease ||= release;
  }
}

interface At {
  readonly occurredAt: number;
}

const entryOf = ({ entry }: ToWrite) => entry;

function userEntry({ projectId, hash, user, day, count, firstSeenAt, lastSeenAt, names }: User): BatchEntry<"users"> {
  return [projectId, hash, user, day, count, firstSeenAt, lastSeenAt, namesToStore(names, lastSeenAt)];
}

function errorEntry(group: Group): BatchEntry<"errors"> {
  const { projectId, hash, count, firstSeenAt, lastSeenAt, firstRelease, lastRelease } = group;
  const own: Summary & Partial<Record<EventColumn, string>> =
    hash === otherErrorsHash ? otherErrors : group.newestSummary;
  const texts = eventColumns.map(
    (column) => own[column] ?? group.newest[column as Exclude<EventColumn, keyof Summary>],
  );
  const ofEvent = texts as unknown as Values<typeof eventColumns>; // `map` gives a list of any length
  return [projectId, hash, ...ofEvent, count, firstSeenAt, lastSeenAt, firstRelease, lastRelease];
}
