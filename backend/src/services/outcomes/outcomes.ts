import { EventEmitter } from "node:events";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  hourMs,
  listsToAnnounce,
  timestamp,
  type Announcements,
  type Clock,
  type Database,
  type NotedOutcome,
  invalidField,
  type Handlers,
} from "@faultline/plugin";
import { Delayed } from "@faultline/plugin/flow";
import { OutcomeKind, type ListOutcomesResponseSchema, type RefusalSchema, OutcomeService } from "@faultline/proto";
import { sql } from "kysely";
import { jsonRows } from "../../storage/database/json-rows.ts";
import type { CoreCall } from "../access/guard.ts";
import { GatheredCounts } from "./gathered-counts.ts";

type Refusal = Exclude<MessageInitShape<typeof RefusalSchema>, { $typeName: string }>;

interface Tables {
  outcome: { project_id: number; hour: number; kind: OutcomeKind; category: string; reason: string; quantity: number };
}

/** The number of refusals kept for display per project, and for how long. */
const refusalsKept = 20;
const refusalsKeptMs = 600_000;

/** The most projects with kept refusals. Limited because anybody may name a project that does not exist. */
const projectsRemembered = 1000;

const gatherMs = 1000;

const subject = "refusals";

/**
 * Other processes are notified of refusals within this many milliseconds: the newest of each project, and the count.
 */
const announceMs = 250;
const refusalsAnnounced = 3;

/**
 * The most simultaneous announcements, under any flood. The refusals left out are still counted, but not shown there.
 */
const announcementsAtOnce = 4;

/** A count of items in an hour that were not stored. */
interface Counted {
  readonly outcome: NotedOutcome;
  readonly hour: number;
  quantity: number;
}

/** Refusals of a project: the newest refusals, and the total. */
interface Refused {
  readonly refusals: readonly Remembered[];
  readonly count: number;
}

interface Remembered {
  readonly at: number;
  readonly refusal: Omit<Refusal, "time">;
}
const daysKept = 90;
const outcomesListed = 200;
const projectsListed = 10;

/** A project with refused items. */
interface RefusedProject {
  readonly projectId: number;
  readonly projectPath: string;
  readonly quantity: number;
  readonly reason: string;
}

/** Counts the items that were not stored, by project and hour, and keeps the last refusals. */
export class Outcomes {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #counts: GatheredCounts<Counted>;
  readonly #announcements: Announcements;
  readonly #refusals = new Map<number, Remembered[]>();
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #unannounced = new Map<number, Refused>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#counts = new GatheredCounts({
      add: (to, { quantity }) => (to.quantity += quantity),
      write: (counts) => this.#write(counts),
    });
    this.#announcements = database.announcements;
    this.#announcements.subscribe(subject, (text) => {
      for (const [projectId, refused] of JSON.parse(text) as [number, Refused][]) this.#remember(projectId, refused);
    });
  }

  /** See EventDoor.note. */
  note(outcome: NotedOutcome): void {
    const { projectId, category, reason, quantity } = outcome;
    if (projectId === 0 || quantity <= 0) return;
    const now = this.#clock.now();
    const hour = Math.floor(now / hourMs);
    this.#counts.count(`${projectId}/${hour}/${outcome.kind}/${category}/${reason}`, { outcome, hour, quantity });
    if (outcome.refusal) {
      const refused = { refusals: [{ at: now, refusal: { reason, category, ...outcome.refusal } }], count: 1 };
      this.#remember(projectId, refused);
      this.#announceLater(projectId, refused);
    }
  }

  /** Writes the counts; called each second. */
  save(): Promise<void> {
    return this.#counts.save();
  }

  /** Deletes counts older than the retention. */
  async deleteExpired(now: number): Promise<void> {
    const cutoff = Math.floor(now / hourMs) - daysKept * 24;
    await this.#database.write<Tables>().deleteFrom("outcome").where("hour", "<", cutoff).execute();
  }

  /** Deletes some outcomes of a project that was deleted for good; true if none are left. */
  async deleteProject(projectId: number): Promise<boolean> {
    const { numAffectedRows } = await sql`
      delete from outcome where (project_id, hour, kind, category, reason) in (
        select project_id, hour, kind, category, reason from outcome where project_id = ${projectId} limit 500
      )`.execute(this.#database.write<Tables>());
    return (numAffectedRows ?? 0n) === 0n;
  }

  async list(projectId: number, hourCount: number): Promise<MessageInitShape<typeof ListOutcomesResponseSchema>> {
    await this.save().catch(() => undefined); // stored counts can be read even when writes fail
    const first = Math.floor(this.#clock.now() / hourMs) - hourCount + 1;
    const inWindow = this.#database
      .read<Tables>()
      .selectFrom("outcome")
      .where("project_id", "=", projectId)
      .where("hour", ">=", first);
    const outcomes = await inWindow
      .select(["kind", "category", "reason"])
      .select(({ fn }) => [fn.sum<number>("quantity").as("quantity"), fn.max("hour").as("hour")])
      .groupBy(["kind", "category", "reason"])
      .orderBy("quantity", "desc")
      .limit(outcomesListed)
      .execute();
    const hours = await inWindow
      .where("kind", "=", OutcomeKind.REFUSED)
      .select(["hour"])
      .select(({ fn }) => fn.sum<number>("quantity").as("quantity"))
      .groupBy("hour")
      .execute();
    const refusedPerHour = Array.from({ length: hourCount }, () => 0);
    for (const { hour, quantity } of hours) refusedPerHour[hour - first] = quantity;
    return {
      outcomes: outcomes.map(({ hour, quantity, ...words }) => ({
        ...words,
        quantity: BigInt(quantity),
        lastTime: timestamp(hour * hourMs),
      })),
      refusedPerHour,
      startTime: timestamp(first * hourMs),
    };
  }

  /** The number of items refused in all projects in each of the last hours; the current hour is the last. */
  async refusedPerHour(hourCount: number): Promise<number[]> {
    await this.save().catch(() => undefined); // see above
    const first = Math.floor(this.#clock.now() / hourMs) - hourCount + 1;
    const hours = await this.#database
      .read<Tables>()
      .selectFrom("outcome")
      .where("hour", ">=", first)
      .where("kind", "=", OutcomeKind.REFUSED)
      .select("hour")
      .select(({ fn }) => fn.sum<number>("quantity").as("quantity"))
      .groupBy("hour")
      .execute();
    const perHour = new Map(hours.map(({ hour, quantity }) => [hour, quantity]));
    return Array.from({ length: hourCount }, (_, n) => perHour.get(first + n) ?? 0);
  }

  /** The projects with the most refused items in the last hours, the most first, each with its most frequent reason. */
  async refusedProjects(hourCount: number): Promise<RefusedProject[]> {
    await this.save().catch(() => undefined); // see above
    const first = Math.floor(this.#clock.now() / hourMs) - hourCount + 1;
    const { rows } = await sql<RefusedProject>`
      with refused as (
        select project_id, reason, sum(quantity) as quantity from outcome
        where hour >= ${first} and kind = ${OutcomeKind.REFUSED}
        group by project_id, reason
      ), ranked as (
        select project_id, reason, sum(quantity) over (partition by project_id) as quantity,
          row_number() over (partition by project_id order by quantity desc, reason) as place
        from refused
      )
      select project_id as "projectId", path as "projectPath", reason, cast(quantity as bigint) as quantity
      from ranked join project on project.id = project_id and deleted_at is null
      where place = 1 order by ranked.quantity desc, project_id limit ${projectsListed}
    `.execute(this.#database.read());
    return rows;
  }

  /**
   * The refusals of a project: the refusals of the last minutes immediately, then new refusals each second, until the
   * signal aborts.
   */
  async *watch(projectId: number, signal: AbortSignal): AsyncGenerator<{ refusals: Refusal[]; count: number }> {
    const since = this.#clock.now() - refusalsKeptMs;
    let gathered = (this.#refusals.get(projectId) ?? []).filter(({ at }) => at >= since);
    let count = gathered.length;
    let wake: (() => void) | undefined;
    const listen = (refused: Refused) => {
      gathered = [...gathered, ...refused.refusals].slice(-refusalsKept);
      count += refused.count;
      wake?.();
    };
    this.#emitter.on(String(projectId), listen);
    signal.addEventListener("abort", () => wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        if (count === 0) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
        if (signal.aborted) return;
        const refusals = gathered.map(({ at, refusal }) => ({ time: timestamp(at), ...refusal }));
        const refused = { refusals, count };
        [gathered, count] = [[], 0];
        yield refused;
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
      }
    } finally {
      this.#emitter.off(String(projectId), listen);
    }
  }

  #remember(projectId: number, refused: Refused): void {
    let refusals = this.#refusals.get(projectId);
    if (!refusals) {
      if (this.#refusals.size >= projectsRemembered) this.#refusals.clear();
      refusals = [];
      this.#refusals.set(projectId, refusals);
    }
    refusals.push(...refused.refusals);
    refusals.splice(0, refusals.length - refusalsKept);
    this.#emitter.emit(String(projectId), refused);
  }

  #announceLater(projectId: number, { refusals, count }: Refused): void {
    const unannounced = this.#unannounced.get(projectId);
    if (!unannounced && this.#unannounced.size >= projectsRemembered) return;
    this.#unannounced.set(projectId, {
      refusals: [...(unannounced?.refusals ?? []), ...refusals].slice(-refusalsAnnounced),
      count: (unannounced?.count ?? 0) + count,
    });
    this.#announcing.later();
  }

  #announce(): void {
    const lists = listsToAnnounce(this.#unannounced);
    this.#unannounced = new Map();
    for (const list of lists.slice(0, announcementsAtOnce)) this.#announcements.announce(subject, list);
  }

  async #write(counts: readonly Counted[]): Promise<void> {
    const rows = counts.map(({ outcome: { projectId, kind, category, reason }, hour, quantity }) => [
      projectId,
      hour,
      kind,
      category,
      reason,
      quantity,
    ]);
    await sql`
      insert into outcome (project_id, hour, kind, category, reason, quantity)
      select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), cast(value ->> 2 as integer),
        value ->> 3, value ->> 4, cast(value ->> 5 as bigint)
      from ${jsonRows(this.#database.kind, rows)} counted
      where exists (select 1 from project where id = cast(value ->> 0 as bigint) and deleted_at is null)
      order by 1, 2, 3, 4, 5 -- as all processes, so that no two wait for each other
      on conflict (project_id, hour, kind, category, reason)
        do update set quantity = outcome.quantity + excluded.quantity
    `.execute(this.#database.write<Tables>());
  }
}

const maxHours = 2160;

/** Reads which items were not stored, and why. */
export function outcomeService(outcomes: Outcomes): Handlers<typeof OutcomeService, CoreCall> {
  return {
    async listOutcomes({ projectId, hourCount }) {
      if (hourCount > maxHours) throw invalidField("hour_count", "Request 1 to 2,160 hours (90 days).");
      return outcomes.list(projectId, hourCount || 24);
    },

    async *watchRefusals({ projectId }, { signal }) {
      yield* outcomes.watch(projectId, signal ?? new AbortController().signal);
    },
  };
}
