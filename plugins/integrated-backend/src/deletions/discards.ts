import { hourMs, type Host, dayMs } from "@faultline/plugin";
import { OutcomeKind, type ErrorEvent } from "@faultline/proto";
import { type Selectable, sql, type Kysely } from "kysely";
import { isAtOrAfter } from "@faultline/plugin/search";
import type { GroupedEvent } from "../grouping/group-events.ts";
import type { Storage } from "../storage.ts";
import type { DiscardTable, Tables } from "../tables.ts";

const subject = "discards";

/**
 * A sample is one event a day, truncated to this many bytes. At most this many samples wait to be written at a time.
 */
const sampleBytes = 32 * 1024;
const samplesWaiting = 100;

type DiscardRow = Pick<
  Selectable<DiscardTable>,
  "id" | "project_id" | "group_hash" | "ends_at" | "ends_after" | "ends_with_release" | "stopped_count"
>;

/** An active discard in this process's memory. */
interface Known extends RunningDiscard {
  readonly id: number;
  readonly projectId: number;
  readonly hash: string;
  stopped: number;
  sampledDay: number;
}

/** A batch without its discarded events. */
export interface Sorted {
  readonly kept: readonly GroupedEvent[];
  /** Counts the discarded events. Call it after the others are stored, because a failed batch is delivered again. */
  count(): void;
}

/**
 * Discards the events of chosen groups. Each batch passes here before it is stored; a project without discards costs
 * one look into a map. Discarded events are counted in memory and written each second, so a kill loses a second of
 * these counts.
 */
export class Discards {
  readonly #storage: Storage;
  readonly #host: Host;
  #running = new Map<number, Map<string, Known>>();
  #stopped = new Map<Known, StoppedEvents>();
  #over = new Map<Known, number>();
  #samples = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(storage: Storage, host: Host) {
    this.#storage = storage;
    this.#host = host;
  }

  async start(): Promise<void> {
    const { database, scheduler, log } = this.#host;
    await this.load();
    const reload = () => void this.load().catch((error: unknown) => log.error({ err: error }, "discards are unknown"));
    database.announcements.subscribe(subject, reload);
    database.announcements.onMissed(reload);
    scheduler.every(1_000, "count discarded events", () => this.write());
  }

  /** Whether the events of a group are discarded. */
  has(projectId: number, hash: string): boolean {
    return this.#running.get(projectId)?.has(hash) ?? false;
  }

  /** Removes the discarded events from a batch. */
  takeOut(events: readonly GroupedEvent[]): Sorted {
    if (this.#running.size === 0 || !events.some(({ event }) => this.#running.has(event.projectId)))
      return { kept: events, count: () => undefined };
    const now = this.#host.clock.now();
    const stopped: { discard: Known; event: ErrorEvent }[] = [];
    const inBatch = new Map<Known, number>();
    const kept = events.filter(({ event, hash }) => {
      const discard = this.#running.get(event.projectId)?.get(hash);
      if (!discard) return true;
      const before = inBatch.get(discard) ?? 0;
      if (verdict(discard, { release: event.release, now, stopped: discard.stopped + before }) === "over") {
        this.#end(discard, now);
        return true;
      }
      inBatch.set(discard, before + 1);
      stopped.push({ discard, event });
      return false;
    });
    return {
      kept,
      count: () => {
        for (const { discard, event } of stopped) this.#count(discard, event, now);
      },
    };
  }

  /**
   * Begins to discard the events of groups before their deletion is committed. After a failure, the discards are loaded
   * again.
   */
  add(rows: readonly DiscardRow[]): void {
    for (const row of rows) this.#remember(knownOf(row, -1));
  }

  /** Notifies the other processes, which then load the discards again. */
  announce(): void {
    this.#host.database.announcements.announce(subject, "");
  }

  /** Loads the discards, and keeps counts that are not written yet. */
  load(): Promise<void> {
    return this.#inOrder(() => this.#load());
  }

  /** Writes the counts since the last call, and ends expired discards. */
  write(): Promise<void> {
    return this.#inOrder(() => this.#write());
  }

  /**
   * Runs one piece of work after another. After `write` the database has all earlier counts, including counts that
   * another call was writing, and no older result of `load` replaces a newer result.
   */
  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }

  async #load(): Promise<void> {
    await this.#write();
    const rows = await this.#storage.read
      .selectFrom("integrated_discard")
      .select(["id", "project_id", "group_hash", "ends_at", "ends_after", "ends_with_release", "stopped_count"])
      .select(({ selectFrom }) =>
        selectFrom("integrated_discard_sample as sample")
          .whereRef("sample.project_id", "=", "integrated_discard.project_id")
          .whereRef("sample.discard_id", "=", "integrated_discard.id")
          .select(({ fn }) => fn.max("day").as("day"))
          .as("sampled_day"),
      )
      .where("ended_at", "is", null)
      .execute();
    this.#running = new Map();
    for (const row of rows) this.#remember(knownOf(row, row.sampled_day ?? -1));
  }

  async #write(): Promise<void> {
    const now = this.#host.clock.now();
    for (const discards of this.#running.values()) {
      for (const discard of discards.values())
        if (discard.endsAt !== null && now >= discard.endsAt) this.#end(discard, now);
    }
    if (this.#stopped.size + this.#over.size === 0) return;
    const [stopped, over] = [this.#stopped, this.#over];
    [this.#stopped, this.#over, this.#samples] = [new Map(), new Map(), 0];
    try {
      await writeStopped(this.#storage, {
        stopped: [...stopped.values()],
        over: Array.from(over, ([{ id, projectId }, endedAt]) => ({ id, projectId, endedAt })),
      });
    } catch (error) {
      for (const [discard, events] of stopped) this.#merge(discard, events); // the next second writes them
      for (const [discard, endedAt] of over) this.#over.set(discard, endedAt);
      throw error;
    }
    if (over.size > 0) this.announce();
  }

  #remember(discard: Known): void {
    const ofProject = this.#running.get(discard.projectId) ?? new Map<string, Known>();
    ofProject.set(discard.hash, discard);
    this.#running.set(discard.projectId, ofProject);
  }

  #end(discard: Known, now: number): void {
    const ofProject = this.#running.get(discard.projectId);
    ofProject?.delete(discard.hash);
    if (ofProject?.size === 0) this.#running.delete(discard.projectId);
    this.#over.set(discard, now);
  }

  #count(discard: Known, event: ErrorEvent, now: number): void {
    const { id, projectId } = discard;
    discard.stopped += 1;
    const hour = Math.floor(now / hourMs);
    const day = Math.floor(now / dayMs);
    const isSample = day > discard.sampledDay && event.payload.length <= sampleBytes && this.#samples < samplesWaiting;
    if (isSample) {
      discard.sampledDay = day;
      this.#samples += 1;
    }
    this.#merge(discard, {
      id,
      projectId,
      hours: new Map([[hour, 1]]),
      lastAt: now,
      sample: isSample ? { event, day, receivedAt: now } : undefined,
    });
    this.#host.events.note({
      projectId,
      kind: OutcomeKind.FILTERED,
      category: "error",
      reason: "discarded",
      quantity: 1,
    });
  }

  #merge(discard: Known, events: StoppedEvents): void {
    const before = this.#stopped.get(discard);
    if (!before) {
      this.#stopped.set(discard, events);
      return;
    }
    for (const [hour, count] of events.hours) before.hours.set(hour, (before.hours.get(hour) ?? 0) + count);
    before.lastAt = Math.max(before.lastAt, events.lastAt);
    before.sample ??= events.sample;
  }
}

function knownOf(row: DiscardRow, sampledDay: number): Known {
  return {
    id: row.id,
    projectId: row.project_id,
    hash: row.group_hash.toString("hex"),
    endsAt: row.ends_at,
    endsAfter: row.ends_after,
    endsWithRelease: row.ends_with_release,
    stopped: row.stopped_count,
    sampledDay,
  };
}

/** The fields of an active discard that decide which events it stops. */
export interface RunningDiscard {
  readonly endsAt: number | null;
  readonly endsAfter: number | null;
  /** Empty if no release ends it. */
  readonly endsWithRelease: string;
}

/** Whether a discard stops an event or ends with it. If it ends, this event and all later events are stored. */
export function verdict(
  { endsAt, endsAfter, endsWithRelease }: RunningDiscard,
  { release, now, stopped }: { readonly release: string; readonly now: number; readonly stopped: number },
): "stopped" | "over" {
  if (endsAt !== null && now >= endsAt) return "over";
  if (endsAfter !== null && stopped >= endsAfter) return "over";
  if (endsWithRelease !== "" && release !== "" && isAtOrAfter(release, endsWithRelease)) return "over";
  return "stopped";
}

/** Events that a discard stopped, with counts that are not written yet. */
interface StoppedEvents {
  readonly id: number;
  readonly projectId: number;
  /** By the hour, counted from 1970. */
  readonly hours: Map<number, number>;
  lastAt: number;
  sample: { readonly event: ErrorEvent; readonly day: number; readonly receivedAt: number } | undefined;
}

interface Ended {
  readonly id: number;
  readonly projectId: number;
  readonly endedAt: number;
}

const samplesKept = 3;

/** Adds the stopped events to the counters of their discards, and marks ended discards, in one transaction. */
async function writeStopped(
  storage: Storage,
  { stopped, over }: { readonly stopped: readonly StoppedEvents[]; readonly over: readonly Ended[] },
): Promise<void> {
  const inOneOrder = stopped.toSorted((a, b) => a.projectId - b.projectId || a.id - b.id); // the same in all processes
  await storage.write.transaction().execute(async (transaction) => {
    for (const events of inOneOrder) await add(transaction, events);
    for (const { id, projectId, endedAt } of over) {
      await transaction
        .updateTable("integrated_discard")
        .set({ ended_at: endedAt })
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .execute();
    }
  });
}

async function add(
  transaction: Kysely<Tables>,
  { id, projectId, hours, lastAt, sample }: StoppedEvents,
): Promise<void> {
  const count = [...hours.values()].reduce((sum, one) => sum + one, 0);
  const { numUpdatedRows } = await transaction
    .updateTable("integrated_discard")
    .set({
      stopped_count: sql`stopped_count + ${count}`,
      last_stopped_at: sql`case when last_stopped_at > ${lastAt} then last_stopped_at else ${lastAt} end`,
    })
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return; // its project was deleted for good
  for (const [hour, ofHour] of hours) {
    await transaction
      .insertInto("integrated_discard_hour")
      .values({ project_id: projectId, discard_id: id, hour, event_count: ofHour })
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "discard_id", "hour"])
          .doUpdateSet({ event_count: sql`integrated_discard_hour.event_count + ${ofHour}` }),
      )
      .execute();
  }
  if (!sample) return;
  const { event, day, receivedAt } = sample;
  await transaction
    .insertInto("integrated_discard_sample")
    .values({
      project_id: projectId,
      discard_id: id,
      day,
      event_id: Buffer.from(event.eventId, "hex"),
      received_at: receivedAt,
      encoding: event.payloadEncoding,
      start: event.payloadOffset,
      length: event.payloadLength,
      content: Buffer.from(event.payload),
    })
    .onConflict((conflict) => conflict.columns(["project_id", "discard_id", "day"]).doNothing())
    .execute();
  await sql`delete from integrated_discard_sample where project_id = ${projectId} and discard_id = ${id} and day not in (
    select day from integrated_discard_sample where project_id = ${projectId} and discard_id = ${id}
    order by day desc limit ${samplesKept})`.execute(transaction);
}
