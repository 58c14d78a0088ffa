import { type Clock, type Database, type ProjectUsage, QuotaRefusal, ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { DiskSpace } from "../../storage/database/disk-space.ts";
import { DailyIntake } from "./daily-intake.ts";
import { EvictedEventCounts } from "./evicted.ts";
import { KeptBeside, type KeptPart } from "./kept-beside.ts";
import {
  changedLimits,
  defaultLimits,
  holdingLimits,
  notSet,
  type LimitChange,
  type Limits,
  type SetLimits,
  bytesToEvict,
  isRoomBeside,
  largestProjects,
  verdictOf,
  type Verdict,
} from "./limits.ts";
import type { Weight } from "./weight.ts";

interface Tables {
  quota: { project_id: number; day_limit_bytes: number | null; kept_limit_bytes: number | null };
  eviction: { project_id: number };
}

/** Project 0 does not exist: its row has the limits of projects without explicit limits. */
const ofAll = 0;

const subject = "quotas";

/** A part of the data of a project: its events, or the data that a plugin keeps in addition. */
export type EvictablePart = { readonly name: string; readonly bytes: number } & Partial<Pick<KeptPart, "evict">>;

/** A project that keeps too much. */
export interface Excess {
  readonly projectId: number;
  readonly bytes: number;
  /** The parts to evict from: the first part with anything left. */
  readonly parts: readonly EvictablePart[];
}

/** The name of the part that holds the events. */
export const eventsPart = "events";

/** The limits of projects and their use, which decide refusals. Everything that an event needs is in memory. */
export class Quotas {
  readonly today: DailyIntake;
  readonly evicted: EvictedEventCounts;
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
  /** Bytes that are accepted but not yet stored or refused, by project. */
  readonly #underWay = new Map<number, number>();
  /**
   * Bytes that this process has stored since its start, by project; and how many of them the last known usage includes.
   */
  readonly #stored = new Map<number, number>();
  #storedInUsage: ReadonlyMap<number, number> = new Map();
  readonly #evicting = new Set<number>();
  readonly #beside = new KeptBeside();
  /**
   * The bytes in addition to events that count when events are judged, by project: their number when the project was
   * last within its limit, or fewer. So an upload causes no refusal of events while eviction makes room for it.
   */
  #besideForEvents: ReadonlyMap<number, number> = new Map();

  /** `usage` returns the bytes that each project keeps; see ErrorBackend.usage. */
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
    this.evicted = new EvictedEventCounts(parts.database, parts.clock);
    const { announcements } = parts.database;
    // After a failure the next periodic read of the limits catches up.
    const readAgain = () => void this.readLimits().catch(() => undefined);
    announcements.subscribe(subject, readAgain);
    announcements.onMissed(readAgain);
  }

  /** Adds the data that plugins keep of projects in addition to events. */
  countBeside(parts: readonly KeptPart[]): void {
    this.#beside.use(parts);
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
    const before = new Map(this.#stored); // the answer may miss bytes stored from here on
    const [usage] = await Promise.all([this.#readUsage(), this.#beside.read()]);
    this.#usage = new Map(usage.map((one) => [one.projectId, one]));
    this.#storedInUsage = before;
    this.#holding.clear(); // the disk may have another size
    const kept = this.#projectIds.map((projectId) => ({ projectId, keptBytes: this.keptBytes(projectId) }));
    this.#largest = largestProjects(kept);
    this.#besideForEvents = new Map(
      kept.map(({ projectId, keptBytes }) => {
        const isWithin = bytesToEvict(keptBytes, this.limitsOf(projectId).kept, false) === 0;
        const beside = this.#beside.bytesOf(projectId);
        return [projectId, isWithin ? beside : Math.min(beside, this.#besideForEvents.get(projectId) ?? beside)];
      }),
    );
  }

  get #projectIds(): readonly number[] {
    return [...new Set([...this.#usage.keys(), ...this.#beside.projectIds])];
  }

  /**
   * The reason why events of the project are refused now; undefined if they are accepted. Only reads memory. `left`
   * returns the bytes of the day that their sender must leave to others, at most half of the day's bytes.
   */
  refusal(projectId: number, left = () => 0): QuotaRefusal | undefined {
    const verdict = this.verdict(projectId) ?? (this.#isBeyondShare(projectId, left) ? "share" : undefined);
    if (verdict === undefined) return undefined;
    return refusalOfEvents(verdict, Math.max(1, Math.ceil((this.today.endsAt - this.#clock.now()) / 1000)));
  }

  #isBeyondShare(projectId: number, left: () => number): boolean {
    const { day } = this.limitsOf(projectId);
    const used = this.#bytesToday(projectId);
    return day > 0 && used * 2 >= day && used >= day - left();
  }

  #bytesToday(projectId: number): number {
    return this.today.bytesOf(projectId) + (this.#underWay.get(projectId) ?? 0);
  }

  verdict(projectId: number): Verdict {
    return verdictOf(
      {
        day: this.#bytesToday(projectId),
        kept: this.#eventBytes(projectId) + (this.#besideForEvents.get(projectId) ?? 0),
        isShutOut: this.#disk.isScarce && this.#largest.has(projectId),
      },
      this.limitsOf(projectId),
    );
  }

  /** Reserves room for an intake, or refuses all of it. `refusal` explains `left`. */
  take(weights: readonly Weight[], left = () => 0): void {
    for (const { projectId } of weights) {
      const refusal = this.refusal(projectId, left);
      if (refusal) throw refusal;
    }
    for (const { projectId, bytes } of weights) add(this.#underWay, projectId, bytes);
  }

  /** Releases a reservation after its intake was stored or refused. */
  settle(weights: readonly Weight[], isStored: boolean): void {
    for (const { projectId, items, bytes } of weights) {
      add(this.#underWay, projectId, -bytes);
      if (!isStored) continue;
      add(this.#stored, projectId, bytes);
      this.today.add(projectId, items, bytes);
    }
  }

  /**
   * See Host.admitStoring. The limit of a day only applies to events: a deploy after a day of many events is uploaded,
   * and its upload does not reduce the events allowed that day.
   */
  admit({ plugin, bytes, projectId }: { plugin: string; bytes: number; projectId: number | undefined }): void {
    if (!this.#disk.takeBeside(bytes)) throw refusalBeside("disk");
    if (projectId === undefined) return;
    const beside = this.#beside.bytesOf(projectId) + bytes;
    if (!isRoomBeside({ kept: this.keptBytes(projectId) + bytes, beside }, this.limitsOf(projectId))) {
      throw refusalBeside("kept");
    }
    this.#beside.admitted(plugin, projectId, bytes);
  }

  /** Bytes that a project keeps, including bytes on their way to storage. */
  keptBytes(projectId: number): number {
    return this.#eventBytes(projectId) + this.#beside.bytesOf(projectId);
  }

  /** The bytes that a project keeps by part: first its events, then the data of each plugin. */
  keptParts(projectId: number): readonly EvictablePart[] {
    return [{ name: eventsPart, bytes: this.#eventBytes(projectId) }, ...this.#beside.partsOf(projectId)];
  }

  #eventBytes(projectId: number): number {
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

  /** The limits set for a project, or for all projects without explicit limits. */
  setLimitsOf(projectId: number = ofAll): SetLimits {
    return this.#limits.get(projectId) ?? notSet;
  }

  /** Changes the limits of a project, or of all projects without explicit limits. */
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

  /**
   * The projects that keep too much. The largest part is evicted first: events may always have half of the limit
   * regardless of uploads, uploads half of it regardless of events, and each part the space that the others leave.
   */
  excesses(): Excess[] {
    return this.#projectIds.flatMap((projectId): Excess[] => {
      const limit = this.limitsOf(projectId).kept;
      const bytes = bytesToEvict(this.keptBytes(projectId), limit, this.#evicting.has(projectId));
      if (bytes > 0) this.#evicting.add(projectId);
      else this.#evicting.delete(projectId);
      const parts = this.keptParts(projectId);
      if (bytes > 0) return [{ projectId, bytes, parts: parts.toSorted((one, other) => other.bytes - one.bytes) }];
      if (limit > 0) return [];
      return this.#beside.partsOf(projectId).flatMap((part) => {
        const beyond = part.bytes - (part.mostWithoutLimit ?? Infinity);
        return beyond > 0 ? [{ projectId, bytes: beyond, parts: [part] }] : [];
      });
    });
  }

  /** Deletes the limits and counts of a project that was deleted for good. Always true because nothing is left then. */
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

function add(map: Map<number, number>, projectId: number, bytes: number): void {
  map.set(projectId, (map.get(projectId) ?? 0) + bytes);
}

/** The Retry-After of a project that has reached its limit of bytes kept: eviction makes room within seconds. */
const evictionSeconds = 30;

/**
 * The longest Retry-After of a sender that took more than its share of a day. The others may stop sending, which makes
 * its share grow again.
 */
const shareSeconds = 600;

/** Why events of a project, or of one of its senders, are refused. */
type Reason = Exclude<Verdict, undefined> | "share";

/** The sentences for the sender and for the project's members. */
export const inWords: Readonly<Record<Reason, string>> = {
  day: "The project has reached its limit of bytes per day. It accepts events again at 0:00 UTC; an administrator can raise the limit.",
  share:
    "Your key or network has used its share of the bytes that the project can receive today. The rest is for other senders. Send less, or ask an administrator to raise the limit.",
  kept: "The project has reached its storage limit, and its oldest events are being deleted. Send this event again in a moment; an administrator can raise the limit.",
  disk: "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free some space, delete errors of the project, or send this event again later.",
};

/** The refusal of events. `secondsToEnd` is the time until the end of the day. */
function refusalOfEvents(reason: Reason, secondsToEnd: number): QuotaRefusal {
  if (reason === "disk") return new QuotaRefusal("disk_full", inWords.disk, evictionSeconds);
  const seconds = { day: secondsToEnd, share: Math.min(secondsToEnd, shareSeconds), kept: evictionSeconds };
  return new QuotaRefusal("quota", inWords[reason], seconds[reason]);
}

/** The sentences for people and tools that upload or record data. */
const besideInWords = {
  disk: "The disk of the service is nearly full, and the remaining space is reserved for events. Free some space, or try again later.",
  kept: 'The project has reached its storage limit, and more than half of it is not events. Delete old uploads on the page "Source maps", or ask an administrator to raise the limit.',
};

/** The refusal of data in addition to events. */
function refusalBeside(reason: keyof typeof besideInWords): ServiceError {
  const errorReason = reason === "disk" ? ErrorReason.STORAGE_UNAVAILABLE : ErrorReason.QUOTA_REACHED;
  return new ServiceError(errorReason, besideInWords[reason], { retryAfterSeconds: evictionSeconds });
}
