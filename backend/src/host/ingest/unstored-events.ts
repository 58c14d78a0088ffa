import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  emptyIntake,
  hourMs,
  millisecondsOf,
  timestamp,
  type Clock,
  type Database,
  type Intake,
} from "@faultline/plugin";
import { titleOf } from "@faultline/sentry-event";
import { ErrorEventSchema, UnstoredKind, type ErrorEvent } from "@faultline/proto";
import type { UnstoredMessage } from "./dead-letters.ts";

interface Tables {
  unstored_event: {
    id: number;
    project_id: number;
    event_id: string;
    title: string;
    received_at: number;
    reason: string;
    content: Buffer;
  };
}

/** The most unstored events of a project: they repeat the same fault, and hold whole events. */
const keptOfProject = 1_000;

const keptMs = 90 * 24 * hourMs;
const longestReason = 500;

/**
 * Events that could not be stored although the database works: the fault is in the event or in our own code. They are
 * kept unchanged, with the reason, until a release without the fault stores them.
 */
export class UnstoredEvents {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #store: (intake: Intake) => Promise<void>;

  constructor(parts: { database: Database; clock: Clock; store: (intake: Intake) => Promise<void> }) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#store = parts.store;
  }

  /** Keeps an event durably; false if its project has too many unstored events. */
  async keep(event: ErrorEvent, reason: unknown): Promise<boolean> {
    const { projectId, eventId } = event;
    if ((await this.count(projectId)) >= keptOfProject) return false;
    await this.#write
      .insertInto("unstored_event")
      .values({
        project_id: projectId,
        event_id: eventId,
        title: titleOf(event),
        received_at: event.receivedTime ? millisecondsOf(event.receivedTime) : this.#clock.now(),
        reason: inWords(reason),
        content: Buffer.from(toBinary(ErrorEventSchema, event)),
      } as never) // the database assigns the id
      .onConflict((conflict) => conflict.columns(["project_id", "event_id"]).doNothing())
      .execute();
    return true;
  }

  /** Returns the newest unstored events, 100 at most. */
  async list(projectId: number): Promise<UnstoredMessage[]> {
    const rows = await this.#read
      .selectFrom("unstored_event")
      .select(["id", "project_id", "event_id", "title", "received_at", "reason"])
      .where("project_id", "=", projectId)
      .orderBy("id", "desc")
      .limit(100)
      .execute();
    return rows.map((row) => ({
      unstoredEventId: row.id,
      projectId: row.project_id,
      kind: UnstoredKind.EVENT,
      eventId: row.event_id,
      title: row.title,
      receivedTime: timestamp(row.received_at),
      reason: row.reason,
    }));
  }

  async count(projectId: number): Promise<number> {
    const { n } = await this.#read
      .selectFrom("unstored_event")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    return n;
  }

  /** Tries to store some or all of them again, and removes the stored events. */
  async replay(projectId: number, ids: readonly number[]): Promise<{ stored: number; failed: number }> {
    const counts = { stored: 0, failed: 0 };
    for (const id of await this.#idsOf(projectId, ids)) {
      const row = await this.#read.selectFrom("unstored_event").selectAll().where("id", "=", id).executeTakeFirst();
      if (!row) continue; // another replay was faster
      const event = fromBinary(ErrorEventSchema, row.content);
      // Received now, so that it is kept for the usual time after it becomes visible.
      const again = { ...event, receivedTime: timestamp(this.#clock.now()) };
      try {
        await this.#store({ ...emptyIntake, events: [again] });
        await this.#write.deleteFrom("unstored_event").where("id", "=", id).execute();
        counts.stored++;
      } catch (error) {
        await this.#write
          .updateTable("unstored_event")
          .set({ reason: inWords(error) })
          .where("id", "=", id)
          .execute();
        counts.failed++;
      }
    }
    return counts;
  }

  /** Deletes some or all of them. Returns the number of deleted events. */
  async delete(projectId: number, ids: readonly number[]): Promise<number> {
    const found = await this.#idsOf(projectId, ids);
    for (let start = 0; start < found.length; start += 100) {
      await this.#write
        .deleteFrom("unstored_event")
        .where("id", "in", found.slice(start, start + 100))
        .execute();
    }
    return found.length;
  }

  async deleteExpired(now: number): Promise<void> {
    const cutoff = now - keptMs;
    await this.#write.deleteFrom("unstored_event").where("received_at", "<", cutoff).execute();
  }

  /** Deletes the unstored events of a purged project. Returns true because none is left. */
  async deleteProject(projectId: number): Promise<boolean> {
    return (await this.delete(projectId, [])) === 0;
  }

  async #idsOf(projectId: number, ids: readonly number[]): Promise<number[]> {
    let query = this.#read.selectFrom("unstored_event").select("id").where("project_id", "=", projectId).orderBy("id");
    if (ids.length > 0) query = query.where("id", "in", ids);
    return (await query.execute()).map(({ id }) => id);
  }

  get #read() {
    return this.#database.read<Tables>();
  }

  get #write() {
    return this.#database.write<Tables>();
  }
}

/** The driver's sentence. It names our tables and rules, never values of the event. */
function inWords(reason: unknown): string {
  return (reason instanceof Error ? reason.message : String(reason)).slice(0, longestReason);
}
