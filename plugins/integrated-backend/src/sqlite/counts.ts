import type { Log } from "@faultline/plugin";
import type { Kysely } from "kysely";
import { everyRowId, type CountStorage, type StoredEvent, type UncountedEvents } from "../storage.ts";
import { Counts, userKey, type Count } from "../counts/counts.ts";
import { storableJson } from "../event/storable-json.ts";
import type { Tables } from "../tables.ts";
import { callCountProcedure } from "./count-procedure.ts";

/** Maximum noted counts before they are written: writing this many takes some 15 ms, like a large batch. */
const notedAtMost = 4_000;

/** Events that are read and counted at a time. */
const sliceEvents = 200;

/**
 * Counts events in memory and writes the counts some seconds later. Only one process writes the file, and events of
 * some seconds share most of their values; updating a row for each event would make storing a tenth slower.
 * `integrated_uncounted` lists the events without written counts, so that a later process finds these events.
 */
export class SqliteCounts implements CountStorage {
  readonly #read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;
  readonly #log: Log;
  #noted = new Counts();
  /** The first row id that is not written, and the last row id that is noted. */
  #from = 0;
  #until = 0;
  #next: Promise<void> | undefined;

  constructor({ read, write, log }: { read: Kysely<Tables>; write: Kysely<Tables>; log: Log }) {
    this.#read = read;
    this.#write = write;
    this.#log = log;
  }

  /** Schedules events up to a row id, which the previous process noted, to be counted from their JSON. */
  async start(lastRowId: number): Promise<void> {
    this.#from = lastRowId + 1;
    this.#until = lastRowId;
    await this.#write.transaction().execute(async (transaction) => {
      const open = transaction.updateTable("integrated_uncounted").where("to_id", "=", everyRowId);
      await open.set({ to_id: lastRowId }).where("from_id", "<=", lastRowId).execute();
      await transaction.deleteFrom("integrated_uncounted").where("from_id", ">", lastRowId).execute();
      await transaction
        .insertInto("integrated_uncounted")
        .values({ from_id: this.#from, to_id: everyRowId, users_until: lastRowId })
        .execute();
    });
  }

  note(stored: readonly StoredEvent[]): void {
    for (const event of stored) {
      this.#noted.add(event.errorKey, event);
      if (event.rowId > this.#until) this.#until = event.rowId;
    }
  }

  async keepSmall(): Promise<void> {
    if (this.#noted.size >= notedAtMost) await this.settle();
  }

  /** Takes the noted counts once the writer is free, because until then an error may lose its hash. */
  settle(): Promise<void> {
    if (this.#until < this.#from) return this.#next ?? Promise.resolve();
    this.#next ??= this.#write.connection().execute((connection) => {
      this.#next = undefined;
      return this.#writeNoted(connection);
    });
    return this.#next;
  }

  take({ projectId, hash, errorId }: { projectId: number; hash: string; errorId: number }): void {
    this.#noted.move(`${projectId}/${hash}`, String(errorId));
  }

  async uncounted(): Promise<UncountedEvents | undefined> {
    const range = await this.#oldRanges().selectAll().orderBy("from_id").limit(1).executeTakeFirst();
    if (!range) return undefined;
    const withUsers = range.from_id > range.users_until;
    const end = withUsers ? range.to_id : Math.min(range.to_id, range.users_until);
    const rows = await this.#read
      .selectFrom("integrated_event")
      .selectAll()
      .where("id", ">=", range.from_id)
      .where("id", "<=", end)
      .orderBy("id")
      .limit(sliceEvents)
      .execute();
    const last = rows.at(-1);
    const until = last && rows.length === sliceEvents ? last.id : end;
    const add = (counts: Counts) =>
      callCountProcedure(this.#write, {
        byHash: "[]",
        byId: storableJson(Array.from(counts.entries(), ([errorId, count]) => [Number(errorId), ...entryOf(count)])),
        events: JSON.stringify(rows.map(({ id }) => id)),
        range: range.from_id,
        until,
      });
    return { rows, withUsers, add };
  }

  async isComplete(): Promise<boolean> {
    return (await this.#oldRanges().select("from_id").limit(1).execute()).length === 0;
  }

  #oldRanges() {
    return this.#read.selectFrom("integrated_uncounted").where("to_id", "<", everyRowId);
  }

  async #writeNoted(connection: Kysely<Tables>): Promise<void> {
    const [noted, from, until] = [this.#noted, this.#from, this.#until];
    if (until < from) return;
    this.#noted = new Counts();
    this.#from = until + 1;
    const byHash: unknown[] = [];
    const byId: unknown[] = [];
    for (const [errorKey, count] of noted.entries()) {
      const slash = errorKey.indexOf("/");
      if (slash < 0) byId.push([Number(errorKey), ...entryOf(count)]);
      else byHash.push([Number(errorKey.slice(0, slash)), errorKey.slice(slash + 1), ...entryOf(count)]);
    }
    const lists = { byHash: storableJson(byHash), byId: storableJson(byId), events: "[]" };
    try {
      await callCountProcedure(connection, { ...lists, range: from, until }).catch((error: unknown) => {
        this.#log.warn({ err: error, from, until }, "counts could not be written: the events are counted again later");
        return leaveForLater(connection, from, until);
      });
    } catch (error) {
      noted.addAll(this.#noted);
      this.#noted = noted;
      this.#from = from;
      throw error;
    }
  }
}

/**
 * Ends the range without counting its events, which `countEvents` then reads from their JSON. Counts that cannot be
 * written must not prevent events from being stored or deleted.
 */
async function leaveForLater(connection: Kysely<Tables>, from: number, until: number): Promise<void> {
  await connection.transaction().execute(async (transaction) => {
    const ranges = transaction.selectFrom("integrated_uncounted").select("from_id");
    // A persistent fault leaves one range, instead of one range per attempt.
    const before = ranges.where("to_id", "=", from - 1).whereRef("users_until", ">=", "to_id");
    const { from_id: first = from } = (await before.executeTakeFirst()) ?? {};
    await transaction.deleteFrom("integrated_uncounted").where("from_id", "in", [first, from]).execute();
    await transaction
      .insertInto("integrated_uncounted")
      .values([
        { from_id: first, to_id: until, users_until: until },
        { from_id: until + 1, to_id: everyRowId, users_until: until },
      ])
      .execute();
  });
}

function entryOf({ key, value, eventCount, firstSeenAt, lastSeenAt, names }: Count) {
  const entry = [key, value, eventCount, firstSeenAt, lastSeenAt] as const;
  return key === userKey ? ([...entry, names] as const) : entry;
}

/** The conditions that an event, with its row id in a column, is counted by its tags and by its user. */
export const isCounted = (column: string) =>
  `not exists (select 1 from integrated_uncounted where ${column} between from_id and to_id)`;
export const isUserCounted = (column: string) =>
  `not exists (select 1 from integrated_uncounted where ${column} between from_id and to_id and ${column} > users_until)`;
