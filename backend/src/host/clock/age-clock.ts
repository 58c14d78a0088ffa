import { dayMs, type Clock, type Database, type Log } from "@faultline/plugin";
import type { Kysely } from "kysely";
import { afterRunning, believedAfterMs, toleratedMs, type SettledTime } from "./settled-time.ts";

interface Tables {
  settled_time: { id: number; settled_at: number; told_at: number; differs_ms: number };
}

/**
 * The machine's time. `passed` counts milliseconds that no jump of the clock changes; without it the clock itself is used. `busy` counts
 * the milliseconds of a core that the event loop has used; without it nobody is charged for them.
 */
export type MachineTime = Clock & { passed?(): number; busy?(): number };

/**
 * The clocks for everything that is deleted by its age. A clock that is wrong for a while deletes nothing: ages are
 * counted by a time that passes while the service runs, and a jump of the clock reaches it after 72 hours of running,
 * whether the clock was wrong or the machine switched off. The time is stored, so that a restart forgets nothing.
 */
export class AgeClock {
  /** Dates received items: never before earlier ones, even when the clock is set back. */
  readonly receipt: Clock = { now: () => Math.max(this.#time.now(), this.earliestReceipt()) };
  /** Counts ages: never ahead of the clock. */
  readonly deletion: Clock = { now: () => Math.min(this.#time.now(), Math.floor(this.settled().settledAt)) };

  readonly #write: Kysely<Tables>;
  readonly #time: MachineTime;
  readonly #log: Log;
  #known: SettledTime;
  #passedMs: number;
  #hasWarned = false;

  private constructor(parts: { database: Database; time: MachineTime; log: Log }, known: SettledTime) {
    this.#write = parts.database.write<Tables>();
    this.#time = parts.time;
    this.#log = parts.log;
    this.#known = known;
    this.#passedMs = this.#passed();
  }

  /** Reads the stored time; a new installation begins with the clock's. */
  static async open(parts: { database: Database; time: MachineTime; log: Log }): Promise<AgeClock> {
    const row = await parts.database.read<Tables>().selectFrom("settled_time").selectAll().executeTakeFirst();
    const now = parts.time.now();
    const known = row
      ? { settledAt: row.settled_at, clockAt: row.told_at, differsMs: row.differs_ms }
      : { settledAt: now, clockAt: now, differsMs: 0 };
    return new AgeClock(parts, known);
  }

  /** Items received now are dated no earlier. */
  earliestReceipt(): number {
    return Math.ceil(this.settled().settledAt) - toleratedMs;
  }

  /** The settled time now. */
  settled(): SettledTime {
    const passedMs = this.#passed();
    const ranMs = Math.max(0, passedMs - this.#passedMs);
    this.#passedMs = passedMs;
    this.#known = afterRunning(this.#known, { now: this.#time.now(), ranMs });
    return this.#known;
  }

  /** Stores it, and warns while the clock is doubted. */
  async save(): Promise<void> {
    const { settledAt, clockAt, differsMs } = this.settled();
    this.#warn(clockAt - settledAt);
    const row = {
      settled_at: Math.floor(settledAt),
      told_at: Math.floor(clockAt),
      differs_ms: Math.floor(differsMs),
    };
    await this.#write
      .insertInto("settled_time")
      .values({ id: 1, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
      .execute();
  }

  #passed(): number {
    return this.#time.passed?.() ?? this.#time.now();
  }

  #warn(differenceMs: number): void {
    const isDoubted = Math.abs(differenceMs) > dayMs;
    if (isDoubted && !this.#hasWarned) {
      const hours = believedAfterMs / 3_600_000;
      this.#log.warn(
        { clock: iso(this.#time.now()), passed: iso(this.#known.settledAt) },
        `the clock differs by more than a day from the running time of the service; ages follow the running time until the clock has differed for ${hours} hours of running. Correct the clock if it is wrong`,
      );
    }
    this.#hasWarned = isDoubted;
  }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
