import { dayMs, type Clock, type Database, type Log } from "@faultline/plugin";
import type { Kysely } from "kysely";

interface Tables {
  settled_time: { id: number; settled_at: number; told_at: number; differs_ms: number };
}

/**
 * The machine's time. `passed` counts milliseconds that no jump of the clock changes; if it is undefined, the clock
 * itself is used. `busy` counts the milliseconds of a core that the event loop has used; if it is undefined, nobody is
 * charged for them.
 */
export type MachineTime = Clock & { passed?(): number; busy?(): number };

/**
 * The clocks for everything that is deleted by its age. A temporarily wrong clock deletes nothing: ages are counted by
 * a time that advances while the service runs, and a jump of the clock takes effect after 72 hours of running, even if
 * the machine was only switched off. The time is stored, so that a restart forgets nothing.
 */
export class AgeClock {
  /** Dates received items, never before earlier items, even if the clock is set back. */
  readonly receipt: Clock = { now: () => Math.max(this.#time.now(), this.earliestReceipt()) };
  /** Counts ages, never ahead of the clock. */
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

  /** Reads the stored time. A new installation begins with the clock's time. */
  static async open(parts: { database: Database; time: MachineTime; log: Log }): Promise<AgeClock> {
    const row = await parts.database.read<Tables>().selectFrom("settled_time").selectAll().executeTakeFirst();
    const now = parts.time.now();
    const known = row
      ? { settledAt: row.settled_at, clockAt: row.told_at, differsMs: row.differs_ms }
      : { settledAt: now, clockAt: now, differsMs: 0 };
    return new AgeClock(parts, known);
  }

  /** The earliest date of items that are received now. */
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

  /** Stores the settled time, and warns while the clock is doubted. */
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

/**
 * A time that follows jumps of the clock late, and the evidence against the clock. Both advance while the service runs.
 */
export interface SettledTime {
  /** The time by which ages are counted. */
  readonly settledAt: number;
  /** The clock's time nearest to `settledAt` since the two differ. */
  readonly clockAt: number;
  /** How long the service has run since the two differ. */
  readonly differsMs: number;
}

/** The running time after which a jump of the clock is believed. A fault on a Friday is found on Monday. */
export const believedAfterMs = 72 * 3_600_000;

/** Smaller differences are normal for any clock. */
const toleratedMs = 60_000;

/** The settled time after another `ranMs` of running, if the clock says `now`. */
export function afterRunning(before: SettledTime, { now, ranMs }: { now: number; ranMs: number }): SettledTime {
  const settledAt = before.settledAt + ranMs;
  const clockAt = before.clockAt + ranMs;
  const side = sideOf(now - settledAt);
  if (side === 0 || side !== sideOf(clockAt - settledAt)) return { settledAt, clockAt: now, differsMs: 0 };

  // A machine that is switched off each night jumps each morning: the doubt continues, and the smallest jump is
  // believed.
  const nearest = side > 0 ? Math.min(clockAt, now) : Math.max(clockAt, now);
  const differsMs = before.differsMs + ranMs;
  if (differsMs < believedAfterMs) return { settledAt, clockAt: nearest, differsMs };
  return { settledAt: nearest, clockAt: now, differsMs: 0 };
}

/** Whether the clock is ahead (1), behind (-1), or neither. */
function sideOf(differenceMs: number): number {
  return Math.abs(differenceMs) < toleratedMs ? 0 : Math.sign(differenceMs);
}
