import { hourMs, type Host, type ReadHeads, dayMs } from "@faultline/plugin";
import { BoundedMap, OncePer } from "@faultline/plugin/flow";
import type { ErrorEvent } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Aliases } from "../grouping/aliases.ts";
import { errorKey, groupHash } from "../grouping/group-events.ts";
import { retentionCutoff } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import { sampledOutErrors } from "../limits.ts";
import type { Tables } from "../tables.ts";

const minuteMs = 60_000;

/**
 * Maximum counts gathered within a second. Events of further groups are counted only in the outcomes of their project.
 */
const countsGathered = 5_000;

/**
 * Maximum counts of groups without an error that wait for the first stored event. The oldest counts are dropped first.
 */
const countsPending = 2_000;

/**
 * Counts the events that spike protection did not store, by the error they belong to.
 *
 * Such an event is grouped like a stored event, which takes 11 µs for a message and 22 for a stack of 40 frames, a
 * fraction of the time to store it; spike protection itself distinguishes errors by a coarser key. The event counts
 * for the error that its group has when the counts are written, each second. If the group has no error because none
 * of its events was stored so far, the count is tried again each minute.
 *
 * Each process writes the counts of the events that it stopped, whichever process stores. A kill loses a second of
 * these counts.
 */
export class SampledOut {
  readonly #storage: Storage;
  readonly #host: Host;
  readonly #aliases: Aliases;
  readonly #sources = new SourceGroups();
  #counts = new Map<string, SampledOutCount>();
  readonly #pending = new BoundedMap<string, SampledOutCount>(countsPending);
  #triedAt: number;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: { readonly storage: Storage; readonly host: Host; readonly aliases: Aliases }) {
    this.#storage = parts.storage;
    this.#host = parts.host;
    this.#aliases = parts.aliases;
    this.#triedAt = parts.host.clock.now();
  }

  start(): void {
    const { scheduler } = this.#host;
    scheduler.every(1_000, "count events that spike protection did not store", () => this.write());
    const name = "delete counts of events that spike protection did not store";
    scheduler.every(hourMs, name, () => this.#deleteExpired(), { alone: true });
  }

  /** See ErrorBackend.sampledOut. */
  note(event: ErrorEvent, read: ReadHeads | undefined): void {
    const { projectId } = event;
    const hash = groupHash(event);
    this.#sources.learn(event, { hash, read });
    this.#gather({ projectId, hash, day: Math.floor(this.#host.clock.now() / dayMs), count: 1 });
  }

  /** Writes the counts since the last call, one call after another. */
  write(): Promise<void> {
    const written = this.#last.then(() => this.#write());
    this.#last = written.catch(() => undefined); // the caller gets the failure; the next call tries again
    return written;
  }

  /** Writes all counts that have an error by now, before a stop. */
  settle(): Promise<void> {
    this.#triedAt = -Infinity;
    return this.write();
  }

  async #write(): Promise<void> {
    const now = this.#host.clock.now();
    if (Math.abs(now - this.#triedAt) >= minuteMs) {
      this.#triedAt = now;
      const pending = [...this.#pending.values()];
      this.#pending.clear();
      for (const count of pending) this.#gather(count);
    }
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      const grouped = counts.map((count) => ({ ...count, hash: this.#groupOf(count) }));
      const unknown = await writeSampledOut(this.#storage, grouped);
      for (const n of unknown) this.#wait(counts[n]);
    } catch (error) {
      for (const count of counts) this.#gather(count);
      throw error;
    }
  }

  /** The group by which a stored event of this group would now find its error. */
  #groupOf({ projectId, hash }: SampledOutCount): string {
    return this.#aliases.groupOf(projectId, this.#sources.groupOf(projectId, hash));
  }

  #gather(count: SampledOutCount): void {
    const name = nameOf(count);
    const gathered = this.#counts.get(name);
    if (gathered) gathered.count += count.count;
    else if (this.#counts.size < countsGathered) this.#counts.set(name, count);
  }

  #wait(count: SampledOutCount | undefined): void {
    if (!count) return;
    const waiting = this.#pending.get(nameOf(count))?.count ?? 0;
    this.#pending.set(nameOf(count), { ...count, count: waiting + count.count });
  }

  async #deleteExpired(): Promise<void> {
    const firstDay = retentionCutoff(this.#host.deletionClock.now()) / dayMs;
    await this.#storage.write.deleteFrom("integrated_sampled_out").where("day", "<", firstDay).execute();
  }
}

const nameOf = ({ projectId, hash, day }: SampledOutCount) => `${errorKey(projectId, hash)}/${day}`;

/** Groups that are remembered, across all projects. */
const groupsKnown = 2_000;

/** How long a group is remembered: several errors in minified code can be one group in the form that was sent. */
const knownMs = 1_000;

/** Reading the source of an event requires parsing it, so only 20 events a second are read, even in a flood. */
const readEachMs = 50;

interface Known {
  readonly hash: string;
  readonly readAt: number;
}

/**
 * The groups that events have after their stacks are read in their sources, which stored events go through. Among
 * events that are not stored, one event of each group is read each second, and the others follow it.
 */
class SourceGroups {
  readonly #known = new BoundedMap<string, Known>(groupsKnown);
  readonly #turns = new OncePer(readEachMs);

  /** The group according to the sources, if it is known by now; otherwise the group itself. */
  groupOf(projectId: number, hash: string): string {
    return this.#known.get(errorKey(projectId, hash))?.hash ?? hash;
  }

  /** Reads the source of an event of the group `hash`, if a read is due. */
  learn(event: ErrorEvent, { hash, read }: { readonly hash: string; readonly read: ReadHeads | undefined }): void {
    if (!read) return;
    const key = errorKey(event.projectId, hash);
    const now = performance.now();
    const known = this.#known.get(key);
    if ((known && now - known.readAt < knownMs) || !this.#turns.take()) return;
    const remember = ([head]: readonly ErrorEvent[]) =>
      this.#known.set(key, { hash: head === undefined || head === event ? hash : groupHash(head), readAt: now });
    const heads = read([event]);
    if (heads instanceof Promise) {
      if (known) this.#known.set(key, { ...known, readAt: now });
      heads.then(remember, () => undefined); // the group remains unchanged; its reader reports why
    } else remember(heads);
  }
}

/** Events of a group that spike protection did not store on a day (UTC). */
export interface SampledOutCount {
  readonly projectId: number;
  readonly hash: string;
  /** The day, counted from 1970. */
  readonly day: number;
  count: number;
}

type Row = Tables["integrated_sampled_out"];

/** Rows of one statement. */
const rowsAtOnce = 500;

/**
 * Adds the counts to their errors, and returns the indexes of the counts without an error. `sampledOutErrors` limits
 * how many errors of a project have a count for a day; errors with the most events come first. Processes that write
 * simultaneously can exceed the limit by a few errors.
 */
export async function writeSampledOut(storage: Storage, counts: readonly SampledOutCount[]): Promise<number[]> {
  const groups = await storage.groups(counts.map(({ projectId, hash }) => [projectId, hash]));
  const unknown: number[] = [];
  const rows = new Map<string, Row>();
  for (const [n, { projectId, day, count }] of counts.entries()) {
    const errorId = groups[n]?.errorId;
    if (errorId === undefined) {
      unknown.push(n);
      continue;
    }
    const row = { project_id: projectId, error_id: errorId, day, event_count: count };
    row.event_count += rows.get(keyOf(row))?.event_count ?? 0;
    rows.set(keyOf(row), row);
  }
  const admitted = await withRoom(storage, [...rows.values()]);
  // In the same order in all processes, so that no two wait for each other.
  admitted.sort((a, b) => a.project_id - b.project_id || a.error_id - b.error_id || a.day - b.day);
  if (admitted.length > 0) await storage.write.transaction().execute((transaction) => add(transaction, admitted));
  return unknown;
}

async function add(transaction: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await transaction
      .insertInto("integrated_sampled_out")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "error_id", "day"])
          .doUpdateSet({ event_count: sql`integrated_sampled_out.event_count + excluded.event_count` }),
      )
      .execute();
  }
}

/** The rows that are already stored, and as many others as the project may still have on that day. */
async function withRoom({ read }: Storage, rows: readonly Row[]): Promise<Row[]> {
  const admitted: Row[] = [];
  const ofDays = Map.groupBy(rows, ({ project_id, day }) => `${project_id}/${day}`);
  for (const ofDay of ofDays.values()) {
    const [{ project_id, day } = { project_id: 0, day: 0 }] = ofDay;
    const stored = await read
      .selectFrom("integrated_sampled_out")
      .select("error_id")
      .where("project_id", "=", project_id)
      .where("day", "=", day)
      .execute();
    const known = new Set(stored.map(({ error_id }) => error_id));
    const added = ofDay.filter(({ error_id }) => !known.has(error_id));
    const room = Math.max(0, sampledOutErrors - known.size);
    admitted.push(
      ...ofDay.filter(({ error_id }) => known.has(error_id)),
      ...added.toSorted((a, b) => b.event_count - a.event_count).slice(0, room),
    );
  }
  return admitted;
}

const keyOf = ({ project_id, error_id, day }: Row) => `${project_id}/${error_id}/${day}`;
