import { QuotaRefusal, type Clock, type Database, type ProjectUsage } from "@faultline/plugin";
import type { DiskSpace } from "../../storage/database/disk-space.ts";
import { DailyIntake } from "./daily-intake.ts";
import {
  changedLimits,
  defaultLimits,
  holdingLimits,
  notSet,
  type LimitChange,
  type Limits,
  type SetLimits,
} from "./limits.ts";
import { bytesToEvict, largestProjects, verdictOf, type Verdict } from "./verdict.ts";
import type { Weight } from "./weight.ts";

interface Tables {
  quota: { project_id: number; day_limit_bytes: number | null; kept_limit_bytes: number | null };
  eviction: { project_id: number; event_count: number; received_until: number; last_at: number };
}

/** Project 0 does not exist: its row holds the limits of the projects without their own. */
const ofAll = 0;

const subject = "quotas";

/** The Retry-After of a project that has reached its limit of bytes kept: eviction makes room within seconds. */
const evictionSeconds = 30;

/** The deletions that kept a project within its limit. */
export interface Evicted {
  readonly eventCount: number;
  /** Events received before this time are gone, in milliseconds since 1970. */
  readonly receivedUntil: number;
  readonly lastAt: number;
}

/** The limits of projects and their use, and so the refusals. Everything that an event needs is in memory. */
export class Quotas {
  readonly today: DailyIntake;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #disk: DiskSpace;
  readonly #readUsage: () => Promise<readonly ProjectUsage[]>;
  #limits: ReadonlyMap<number, SetLimits> = new Map();
  /**
   * The limits that apply, by project: computed on demand, and dropped when the stored limits or the size of the disk
   * are read again.
   */
  readonly #holding = new Map<number, Limits>();
  #usage: ReadonlyMap<number, ProjectUsage> = new Map();
  #largest: ReadonlySet<number> = new Set();
  /** Bytes that are accepted and not yet stored or refused, by project. */
  readonly #underWay = new Map<number, number>();
  /**
   * Bytes that this process has stored since its start, by project; and how many of them the last known usage includes.
   */
  readonly #stored = new Map<number, number>();
  #storedInUsage: ReadonlyMap<number, number> = new Map();
  readonly #evicting = new Set<number>();

  /** `usage`: the bytes that each project keeps; see ErrorBackend.usage. */
  constructor(parts: {
    database: Database;
    clock: Clock;
    disk: DiskSpace;
    usage: () => Promise<readonly ProjectUsage[]>;
  }) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#disk = parts.disk;
    this.#readUsage = parts.usage;
    this.today = new DailyIntake(parts.database, parts.clock);
    const { announcements } = parts.database;
    // After a failure the next periodic read of the limits catches up.
    const readAgain = () => void this.readLimits().catch(() => undefined);
    announcements.subscribe(subject, readAgain);
    announcements.onMissed(readAgain);
  }

  /** Reads limits and use before the first event. */
  async open(): Promise<void> {
    await this.readLimits();
    await this.today.read();
  }

  async readLimits(): Promise<void> {
    const rows = await this.#database.read<Tables>().selectFrom("quota").selectAll().execute();
    this.#limits = new Map(
      rows.map((row) => [row.project_id, { day: row.day_limit_bytes, kept: row.kept_limit_bytes }]),
    );
    this.#holding.clear();
  }

  /** Reads the bytes that projects keep; called each second, and after each slice of eviction. */
  async readKept(): Promise<void> {
    const before = new Map(this.#stored); // bytes stored from here on may be missing in the answer
    const usage = await this.#readUsage();
    this.#usage = new Map(usage.map((one) => [one.projectId, one]));
    this.#largest = largestProjects(usage);
    this.#storedInUsage = before;
    this.#holding.clear(); // the disk may have another size
  }

  /**
   * The reason why events of the project are refused now; undefined: they are accepted. Costs some looks into memory.
   */
  refusal(projectId: number): QuotaRefusal | undefined {
    const verdict = this.verdict(projectId);
    if (verdict === undefined) return undefined;
    if (verdict === "disk") return new QuotaRefusal("disk_full", inWords.disk, evictionSeconds);
    const seconds = verdict === "day" ? Math.ceil((this.today.endsAt - this.#clock.now()) / 1000) : evictionSeconds;
    return new QuotaRefusal("quota", inWords[verdict], Math.max(1, seconds));
  }

  verdict(projectId: number): Verdict {
    const underWay = this.#underWay.get(projectId) ?? 0;
    return verdictOf(
      {
        day: this.today.bytesOf(projectId) + underWay,
        kept: this.keptBytes(projectId),
        isShutOut: this.#disk.isScarce && this.#largest.has(projectId),
      },
      this.limitsOf(projectId),
    );
  }

  /** Reserves room for an intake, or refuses all of it. */
  take(weights: readonly Weight[]): void {
    for (const { projectId } of weights) {
      const refusal = this.refusal(projectId);
      if (refusal) throw refusal;
    }
    for (const { projectId, bytes } of weights) add(this.#underWay, projectId, bytes);
  }

  /** Releases a reservation whose intake was stored or refused. */
  settle(weights: readonly Weight[], isStored: boolean): void {
    for (const { projectId, items, bytes } of weights) {
      add(this.#underWay, projectId, -bytes);
      if (!isStored) continue;
      add(this.#stored, projectId, bytes);
      this.today.add(projectId, items, bytes);
    }
  }

  /** Bytes that a project keeps, including those on their way to storage. */
  keptBytes(projectId: number): number {
    const known = this.#usage.get(projectId)?.keptBytes ?? 0;
    const since = (this.#stored.get(projectId) ?? 0) - (this.#storedInUsage.get(projectId) ?? 0);
    return known + since + (this.#underWay.get(projectId) ?? 0);
  }

  get usage(): ReadonlyMap<number, ProjectUsage> {
    return this.#usage;
  }

  get defaults(): Limits {
    return defaultLimits(this.setLimitsOf(ofAll), this.#disk.sizeBytes);
  }

  get diskBytes(): number | undefined {
    return this.#disk.sizeBytes;
  }

  limitsOf(projectId: number): Limits {
    let limits = this.#holding.get(projectId);
    if (!limits) {
      limits = holdingLimits(this.setLimitsOf(projectId), this.setLimitsOf(ofAll), this.#disk.sizeBytes);
      this.#holding.set(projectId, limits);
    }
    return limits;
  }

  /** The limits that were set for a project; without a project, those for all without their own. */
  setLimitsOf(projectId: number = ofAll): SetLimits {
    return this.#limits.get(projectId) ?? notSet;
  }

  /** Changes the limits of a project; without a project, those of all without their own. */
  async change(change: LimitChange, projectId: number = ofAll): Promise<void> {
    await this.#database
      .write<Tables>()
      .transaction()
      .execute(async (transaction) => {
        const row = await transaction
          .selectFrom("quota")
          .select(["day_limit_bytes as day", "kept_limit_bytes as kept"])
          .where("project_id", "=", projectId)
          .executeTakeFirst();
        const { day, kept } = changedLimits(row ?? notSet, change);
        const values = { day_limit_bytes: day, kept_limit_bytes: kept };
        await transaction
          .insertInto("quota")
          .values({ project_id: projectId, ...values })
          .onConflict((conflict) => conflict.column("project_id").doUpdateSet(values))
          .execute();
      });
    this.#database.announcements.announce(subject, "");
    await this.readLimits();
  }

  /** The projects that keep too much, and the bytes to delete of each. */
  excesses(): { readonly projectId: number; readonly bytes: number }[] {
    return [...this.#usage.values()].flatMap(({ projectId, keptBytes }) => {
      const bytes = bytesToEvict(keptBytes, this.limitsOf(projectId).kept, this.#evicting.has(projectId));
      if (bytes > 0) this.#evicting.add(projectId);
      else this.#evicting.delete(projectId);
      return bytes > 0 ? [{ projectId, bytes }] : [];
    });
  }

  /** Notes that events of a project were deleted to stay within its limit. */
  async noteEvicted(
    projectId: number,
    { count, receivedUntil }: { count: number; receivedUntil: number },
  ): Promise<void> {
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

  async evicted(projectIds: readonly number[]): Promise<ReadonlyMap<number, Evicted>> {
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

  /** Deletes the limits and counts of a project that is gone for good; true, as none is left then. */
  async deleteProject(projectId: number): Promise<boolean> {
    for (const table of ["quota", "daily_intake", "eviction"] as const) {
      await this.#database
        .write<Tables & { daily_intake: { project_id: number } }>()
        .deleteFrom(table)
        .where("project_id", "=", projectId)
        .execute();
    }
    return true;
  }
}

/** The sentences for the sender and for the project's members. */
export const inWords: Readonly<Record<Exclude<Verdict, undefined>, string>> = {
  day: "The project has received as many bytes today as it may. It takes events again at 0:00 UTC; an administrator can raise the limit.",
  kept: "The project keeps as many bytes as it may, and its oldest events are being deleted. Send this one again in a moment; an administrator can raise the limit.",
  disk: "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free some space there, delete errors of the project, or send this one again later.",
};

function add(map: Map<number, number>, projectId: number, bytes: number): void {
  map.set(projectId, (map.get(projectId) ?? 0) + bytes);
}
