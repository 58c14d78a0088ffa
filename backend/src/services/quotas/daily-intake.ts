import type { Clock, Database } from "@faultline/plugin";
import { sql } from "kysely";
import { jsonRows } from "../../storage/database/json-rows.ts";

const dayMs = 24 * 3_600_000;

/** Days that are kept: enough for the limits and for the pages. */
const daysKept = 90;

interface Tables {
  daily_intake: { project_id: number; day: number; quantity: number; bytes: number };
}

/** Intake of a project on a day that is accepted but not stored yet. */
interface Unwritten {
  readonly projectId: number;
  readonly day: number;
  quantity: number;
  bytes: number;
}

/**
 * Counts the accepted items of each project by UTC day. Counts in memory and writes each second; a write returns the
 * sum of all processes, so a process knows within a second what the others accepted for the projects that it accepts
 * events of.
 */
export class DailyIntake {
  readonly #database: Database;
  readonly #clock: Clock;
  #day: number;
  /** Bytes of the current day, by project. */
  #today = new Map<number, number>();
  #unwritten = new Map<string, Unwritten>();
  #saving: Promise<void> = Promise.resolve();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#day = this.#currentDay();
  }

  /**
   * Reads today's intake of some or all projects, including other processes and the time before this process started.
   */
  async read(projectIds?: readonly number[]): Promise<void> {
    this.#turnDay();
    if (projectIds?.length === 0) return;
    let query = this.#database
      .read<Tables>()
      .selectFrom("daily_intake")
      .select(["project_id", "bytes"])
      .where("day", "=", this.#day);
    if (projectIds) query = query.where("project_id", "in", projectIds);
    const rows = await query.execute();
    for (const { project_id, bytes } of rows) this.#today.set(project_id, bytes + this.#unwrittenOf(project_id));
  }

  /** Bytes of the current day. */
  bytesOf(projectId: number): number {
    this.#turnDay();
    return this.#today.get(projectId) ?? 0;
  }

  /** When the current day ends, in milliseconds since 1970. */
  get endsAt(): number {
    return (this.#currentDay() + 1) * dayMs;
  }

  add(projectId: number, quantity: number, bytes: number): void {
    this.#turnDay();
    this.#today.set(projectId, (this.#today.get(projectId) ?? 0) + bytes);
    this.#keep({ projectId, day: this.#day, quantity, bytes });
  }

  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#write());
    this.#saving = saved.catch(() => undefined); // the caller gets the failure; the next save tries again
    return saved;
  }

  /** Bytes of each of the last days before today, oldest first, by project. */
  async lastDays(projectIds: readonly number[], dayCount: number): Promise<ReadonlyMap<number, number[]>> {
    const first = this.#currentDay() - dayCount;
    const days = new Map(projectIds.map((id) => [id, Array.from({ length: dayCount }, () => 0)]));
    if (projectIds.length === 0) return days;
    const rows = await this.#database
      .read<Tables>()
      .selectFrom("daily_intake")
      .select(["project_id", "day", "bytes"])
      .where("project_id", "in", projectIds)
      .where("day", ">=", first)
      .where("day", "<", first + dayCount)
      .execute();
    for (const { project_id, day, bytes } of rows) {
      const ofProject = days.get(project_id);
      if (ofProject) ofProject[day - first] = bytes;
    }
    return days;
  }

  async deleteExpired(now: number): Promise<void> {
    const cutoff = Math.floor(now / dayMs) - daysKept;
    await this.#database.write<Tables>().deleteFrom("daily_intake").where("day", "<", cutoff).execute();
  }

  #currentDay(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }

  #turnDay(): void {
    const day = this.#currentDay();
    if (day === this.#day) return;
    this.#day = day;
    this.#today = new Map(); // if the clock is set back, the next write reads that day's sum again
  }

  /** Bytes of today that are not stored yet. */
  #unwrittenOf(projectId: number): number {
    return this.#unwritten.get(`${this.#day}/${projectId}`)?.bytes ?? 0;
  }

  #keep({ projectId, day, quantity, bytes }: Unwritten): void {
    const key = `${day}/${projectId}`;
    const counted = this.#unwritten.get(key);
    if (counted) {
      counted.quantity += quantity;
      counted.bytes += bytes;
    } else this.#unwritten.set(key, { projectId, day, quantity, bytes });
  }

  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const written = this.#unwritten;
    this.#unwritten = new Map();
    const rows = Array.from(written.values(), ({ projectId, day, quantity, bytes }) => [
      projectId,
      day,
      quantity,
      bytes,
    ]);
    try {
      const { rows: sums } = await sql<{ project_id: number; day: number; bytes: number }>`
        insert into daily_intake (project_id, day, quantity, bytes)
        select cast(value ->> 0 as bigint), cast(value ->> 1 as integer), cast(value ->> 2 as bigint),
          cast(value ->> 3 as bigint)
        from ${jsonRows(this.#database.kind, rows)} counted
        where exists (select 1 from project where id = cast(value ->> 0 as bigint) and deleted_at is null)
        order by 1, 2 -- as all processes, so that no two wait for each other
        on conflict (project_id, day) do update set
          quantity = daily_intake.quantity + excluded.quantity, bytes = daily_intake.bytes + excluded.bytes
        returning project_id, day, bytes
      `.execute(this.#database.write<Tables>());
      for (const { project_id, day, bytes } of sums) {
        if (day !== this.#day) continue;
        this.#today.set(project_id, bytes + this.#unwrittenOf(project_id));
      }
    } catch (error) {
      for (const counted of written.values()) this.#keep(counted);
      throw error;
    }
  }
}
