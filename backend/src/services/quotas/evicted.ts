import type { Clock, Database } from "@faultline/plugin";

interface Tables {
  eviction: { project_id: number; event_count: number; received_until: number; last_at: number };
}

/** The deletions that kept a project within its limit. */
export interface Evicted {
  readonly eventCount: number;
  /** Events received before this time are deleted, in milliseconds since 1970. */
  readonly receivedUntil: number;
  readonly lastAt: number;
}

/** Counts of events deleted to keep projects within their limits. */
export class EvictedEventCounts {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Notes that events of a project were deleted to stay within its limit. */
  async note(projectId: number, { count, receivedUntil }: { count: number; receivedUntil: number }): Promise<void> {
    await this.#database
      .write<Tables>()
      .insertInto("eviction")
      .values({
        project_id: projectId,
        event_count: count,
        received_until: receivedUntil,
        last_at: this.#clock.now(),
      })
      .onConflict((conflict) =>
        conflict.column("project_id").doUpdateSet(({ ref, eb }) => ({
          event_count: eb(ref("eviction.event_count"), "+", ref("excluded.event_count")),
          received_until: ref("excluded.received_until"),
          last_at: ref("excluded.last_at"),
        })),
      )
      .execute();
  }

  async of(projectIds: readonly number[]): Promise<ReadonlyMap<number, Evicted>> {
    if (projectIds.length === 0) return new Map();
    const rows = await this.#database
      .read<Tables>()
      .selectFrom("eviction")
      .selectAll()
      .where("project_id", "in", projectIds)
      .execute();
    return new Map(
      rows.map((row) => [
        row.project_id,
        { eventCount: row.event_count, receivedUntil: row.received_until, lastAt: row.last_at },
      ]),
    );
  }
}
