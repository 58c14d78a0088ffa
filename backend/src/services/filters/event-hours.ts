import { hourMs, type Clock, type Database } from "@faultline/plugin";
import { sql } from "kysely";
import { jsonRows } from "../../storage/database/json-rows.ts";

interface Tables {
  event_hour: { project_id: number; hour: number; event_count: number };
}

/** The usual day is the median of this many days. */
const daysLookedAt = 7;

/** One day more than is needed. */
const daysKept = 8;

/** Counts the admitted events of projects by hour: at most a few hundred rows per project. */
export class EventHours {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Adds the events since the last call to the current hour. */
  async add(counts: ReadonlyMap<number, number>): Promise<void> {
    const hour = this.#hour();
    const rows = Array.from(counts, ([projectId, count]) => [projectId, hour, count]);
    await sql`
      insert into event_hour (project_id, hour, event_count)
      select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), cast(value ->> 2 as bigint)
      from ${jsonRows(this.#database.kind, rows)} counted
      where exists (select 1 from project where id = cast(value ->> 0 as bigint) and deleted_at is null)
      order by 1, 2 -- as all processes, so that no two wait for each other
      on conflict (project_id, hour) do update set event_count = event_hour.event_count + excluded.event_count
    `.execute(this.#database.write<Tables>());
  }

  /**
   * The events of each project on its usual day: the median of its last seven days, or of the complete days since its
   * first event. A flood changes it only if it lasts for most of them.
   */
  async usualDays(): Promise<Map<number, number>> {
    const lastHour = this.#hour() - 1; // the current hour is not complete
    const { rows } = await sql<{ project_id: number; day: number; event_count: number; first_hour: number }>`
      select project_id, (${lastHour} - hour) / 24 as day, cast(sum(event_count) as bigint) as event_count,
        min(hour) as first_hour
      from event_hour where hour > ${lastHour - daysLookedAt * 24} and hour <= ${lastHour}
      group by 1, 2
    `.execute(this.#database.read<Tables>());
    const ofProjects = Map.groupBy(rows, ({ project_id: projectId }) => Number(projectId));
    return new Map(
      Array.from(ofProjects, ([projectId, days]) => {
        const firstHour = Math.min(...days.map((day) => Number(day.first_hour)));
        const dayCount = Math.max(1, Math.floor((lastHour - firstHour + 1) / 24));
        const counts = Array.from({ length: dayCount }, () => 0);
        for (const { day, event_count: count } of days) if (Number(day) < dayCount) counts[Number(day)] = Number(count);
        return [projectId, median(counts)];
      }),
    );
  }

  async deleteExpired(now: number): Promise<void> {
    const cutoff = Math.floor(now / hourMs) - daysKept * 24;
    await this.#database.write<Tables>().deleteFrom("event_hour").where("hour", "<", cutoff).execute();
  }

  #hour(): number {
    return Math.floor(this.#clock.now() / hourMs);
  }
}

/** The median; the lower of two middle values. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
