import { clientSite, listsToAnnounce, type Announcements, type ArrivedEvent, type Clock } from "@faultline/plugin";
import { BoundedMap, Delayed, TokenBucket } from "@faultline/plugin/flow";
import { errorKey } from "./error-key.ts";
import type { EventHours } from "./event-hours.ts";
import { FairMinute } from "./fair-minute.ts";
import { UsualErrors } from "./usual-errors.ts";

/** A budget is at least what a project's rate limit admits in this many seconds: a storm of ten minutes. */
const stormSeconds = 600;

/** A budget is this many times the usual day, and refills within a day. */
const usualDays = 2;
const secondsOfDay = 24 * 3_600;
const minutesOfDay = 24 * 60;

/** From this share of a budget on there is no spike, and the errors that come are noted as usual ones. */
const quietFrom = 0.9;

/** Projects whose usual errors are remembered: some 50 kB each at most. */
const projectsRemembered = 200;

const subject = "spike budgets";

/** How often a process announces the events it admitted, and how many there must be. */
const announceMs = 1_000;
const announcedFrom = 100;

/** The current budget of a project. */
export interface Budget {
  /** 0: no budget. */
  readonly total: number;
  readonly left: number;
  readonly usualDay: number;
}

/**
 * Admits a spike until the project's budget is used up, and samples it from then on.
 *
 * The budget is a token bucket in memory, which processes share as they share rate limits. Its last minute's worth is
 * reserved for all errors in equal parts (FairMinute), so that rare ones are admitted beside any flood, without a phase
 * that would have to be begun and ended. The errors that the project usually has need not compete with new ones for it.
 * A process starts with a full budget.
 *
 * Events that are sampled out get 200 and not 429, which would silence an SDK in its whole category: it would never
 * send the rare errors beside the loud one.
 */
export class SpikeProtection {
  readonly #hours: Pick<EventHours, "add" | "usualDays">;
  readonly #clock: Clock;
  readonly #passing: Clock;
  readonly #announcements: Announcements;
  readonly #leastTotal: number;
  readonly #budgets = new Map<number, ProjectBudget>();
  readonly #usualErrors = new BoundedMap<number, UsualErrors>(projectsRemembered);
  readonly #unannounced = new Map<number, number>();
  #usual: ReadonlyMap<number, number> = new Map();
  /** Admitted events that are not written yet, by project. */
  #counts = new Map<number, number>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  /** `eventsPerSecond`: the rate limit of a project; 0: none, and no budget either. `passing`: a monotonic clock. */
  constructor(parts: {
    hours: Pick<EventHours, "add" | "usualDays">;
    clock: Clock;
    passing: Clock;
    announcements: Announcements;
    eventsPerSecond: number;
  }) {
    this.#hours = parts.hours;
    this.#clock = parts.clock;
    this.#passing = parts.passing;
    this.#announcements = parts.announcements;
    this.#leastTotal = parts.eventsPerSecond * stormSeconds;
    this.#announcements.subscribe(subject, (text) => {
      for (const [projectId, count] of JSON.parse(text) as [number, number][]) this.#budgetOf(projectId).take(count);
    });
  }

  /** Whether an event is admitted; if so, it is counted. Spikes are sampled from `sampledFrom` on. */
  lets(projectId: number, { event, clientIp }: ArrivedEvent, sampledFrom: number): boolean {
    if (this.#leastTotal > 0 && sampledFrom !== Infinity) {
      const budget = this.#budgetOf(projectId);
      const now = this.#passing.now();
      if (!budget.hasPlenty && this.#clock.now() >= sampledFrom) {
        const error = errorKey(event);
        const isUsual = this.#usualErrors.get(projectId)?.has(error) ?? false;
        if (!budget.minute(now).lets(error, clientSite(clientIp), isUsual)) return false;
      } else if (budget.isQuiet) this.#usualErrorsOf(projectId).note(errorKey(event), now);
      budget.take(1);
      this.#announceLater(projectId);
    }
    this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + 1);
    return true;
  }

  /** The budget as this process knows it now. */
  budget(projectId: number): Budget {
    const usualDay = this.#usual.get(projectId) ?? 0;
    if (this.#leastTotal === 0) return { total: 0, left: 0, usualDay };
    const { total, left } = this.#budgetOf(projectId);
    return { total, left: Math.floor(left), usualDay };
  }

  /** Writes the counts, and drops budgets that are full. Called each minute, as one write per event would cost more. */
  async save(): Promise<void> {
    for (const [projectId, budget] of this.#budgets) {
      budget.fill(this.#passing.now());
      if (budget.isFull) this.#budgets.delete(projectId);
    }
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      await this.#hours.add(counts);
    } catch (error) {
      for (const [projectId, count] of counts) {
        this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + count);
      }
      throw error;
    }
  }

  /** Reads the usual days of all projects, which change hourly. */
  async readUsualDays(): Promise<void> {
    this.#usual = await this.#hours.usualDays();
    for (const [projectId, budget] of this.#budgets) budget.resize(this.#totalOf(projectId));
  }

  #usualErrorsOf(projectId: number): UsualErrors {
    const known = this.#usualErrors.get(projectId) ?? new UsualErrors();
    this.#usualErrors.set(projectId, known); // it is the one used last
    return known;
  }

  #budgetOf(projectId: number): ProjectBudget {
    const now = this.#passing.now();
    let budget = this.#budgets.get(projectId);
    if (!budget) this.#budgets.set(projectId, (budget = new ProjectBudget(this.#totalOf(projectId), now)));
    budget.fill(now);
    return budget;
  }

  #totalOf(projectId: number): number {
    return Math.max(this.#leastTotal, usualDays * (this.#usual.get(projectId) ?? 0));
  }

  #announceLater(projectId: number): void {
    this.#unannounced.set(projectId, (this.#unannounced.get(projectId) ?? 0) + 1);
    this.#announcing.later();
  }

  #announce(): void {
    const taken = [...this.#unannounced].filter(([, count]) => count >= announcedFrom);
    for (const [projectId] of taken) this.#unannounced.delete(projectId);
    for (const list of listsToAnnounce(taken)) this.#announcements.announce(subject, list);
  }
}

class ProjectBudget {
  readonly #bucket: TokenBucket;
  #minute: FairMinute | undefined;

  /** `total` comes back within a day. */
  constructor(total: number, now: number) {
    this.#bucket = new TokenBucket(total, total / secondsOfDay, now);
  }

  get total(): number {
    return this.#bucket.size;
  }

  get left(): number {
    return this.#bucket.tokens;
  }

  get isFull(): boolean {
    return this.#bucket.isFull;
  }

  get isQuiet(): boolean {
    return this.left >= this.total * quietFrom;
  }

  /** Whether more than a minute's worth is left. */
  get hasPlenty(): boolean {
    return this.left >= Math.max(1, this.#perMinute);
  }

  fill(now: number): void {
    this.#bucket.fill(now);
  }

  /** Rare errors are admitted when nothing is left, without going into debt. */
  take(count: number): void {
    this.#bucket.take(count, 0);
  }

  /** Changes the size and keeps the use. */
  resize(total: number): void {
    this.#bucket.resize(total, total / secondsOfDay);
  }

  /** The current minute of sampling. */
  minute(now: number): FairMinute {
    if (!this.#minute || this.#minute.isOver(now)) this.#minute = new FairMinute(now, this.#perMinute, this.#minute);
    return this.#minute;
  }

  get #perMinute(): number {
    return this.total / minutesOfDay;
  }
}
