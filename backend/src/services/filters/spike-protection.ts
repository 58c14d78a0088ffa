import { clientSite, listsToAnnounce, type Announcements, type ArrivedEvent, type Clock } from "@faultline/plugin";
import { BoundedMap, Delayed, TokenBucket } from "@faultline/plugin/flow";
import type { ErrorEvent } from "@faultline/proto";
import { mainException } from "@faultline/sentry-event";
import type { EventHours } from "./event-hours.ts";

/** A budget is at least the events that a project's rate limit admits in this many seconds: a storm of ten minutes. */
const stormSeconds = 600;

/** A budget is this many times the usual day, and refills within a day. */
const usualDays = 2;
const secondsOfDay = 24 * 3_600;
const minutesOfDay = 24 * 60;

/** Above this share of a budget there is no spike, and arriving errors are noted as usual errors. */
const quietFrom = 0.9;

/** Projects with remembered usual errors: about 50 kB each at most. */
const projectsRemembered = 200;

const subject = "spike budgets";

/** How often a process announces the events it admitted, and the fewest events it announces. */
const announceMs = 1_000;
const announcedFrom = 100;

/** The current budget of a project. */
export interface Budget {
  /** 0 if there is no budget. */
  readonly total: number;
  readonly left: number;
  readonly usualDay: number;
}

/**
 * Admits a spike until the project's budget is used up, and samples it from then on.
 *
 * The budget is a token bucket in memory, which processes share like rate limits. Its last minute's worth is reserved
 * for all errors in equal parts (FairMinute), so that rare errors are admitted during any flood, without a phase that
 * would have to be started and ended. The errors that the project usually has need not compete with new errors for it.
 * A process starts with a full budget.
 *
 * Events that are sampled out get 200 and not 429, which would silence an SDK in its whole category: it would never
 * send the rare errors that accompany the loud one.
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
  /** Admitted events that are not stored yet, by project. */
  #counts = new Map<number, number>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  /**
   * `eventsPerSecond` is the rate limit of a project; with 0 there is no rate limit and no budget. `passing` is a
   * monotonic clock.
   */
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

  /** Whether an event is admitted; if so, counts it. Spikes are sampled from `sampledFrom` on. */
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

  /** The budget as currently known to this process. */
  budget(projectId: number): Budget {
    const usualDay = this.#usual.get(projectId) ?? 0;
    if (this.#leastTotal === 0) return { total: 0, left: 0, usualDay };
    const { total, left } = this.#budgetOf(projectId);
    return { total, left: Math.floor(left), usualDay };
  }

  /** Writes the counts, and drops full budgets. Called each minute because a write per event would cost more. */
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
    this.#usualErrors.set(projectId, known); // moves it to the end: it is the last one used
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

  /** `total` is refilled within a day. */
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

  /** Rare errors are admitted even if nothing is left, without a debt. */
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

/** Enough of a text to distinguish errors without a stack; numbers in it vary within an error. */
const prefixLength = 64;

/**
 * A cheap stand-in for the error of an event, which its backend determines later at a higher cost: the application's
 * fingerprint, otherwise type and culprit, otherwise the beginning of the text up to its first number. Errors with the
 * same key share a minute's allowance, so the culprit is part of it.
 */
export function errorKey({ fingerprint, exceptions, culprit, messageTemplate, message }: ErrorEvent): string {
  if (fingerprint.length > 0) return `f ${fingerprint.join(" ").slice(0, 4 * prefixLength)}`;
  const exception = mainException(exceptions);
  if (!exception) return `m ${beginning(messageTemplate || message)}`;
  const place = exception.frames.length > 0 ? culprit : beginning(exception.value);
  return `e ${exception.type} ${place}`;
}

function beginning(text: string): string {
  const prefix = text.slice(0, prefixLength);
  const number = prefix.search(/\d/);
  return number > 0 ? prefix.slice(0, number) : prefix;
}

/** The most errors remembered per project; the latest are kept. */
const errorsRemembered = 200;

const hourMs = 3_600_000;

/**
 * The errors that a project usually has: errors that came in two hours at least an hour apart. In memory, so nothing is
 * usual until then after a restart. Errors are identified by the keys of `errorKey`.
 */
class UsualErrors {
  /** When an error first came. */
  readonly #first = new BoundedMap<string, number>(errorsRemembered);
  readonly #usual = new BoundedMap<string, true>(errorsRemembered);

  /** Notes an error that came without a spike. */
  note(error: string, now: number): void {
    if (this.#usual.has(error)) {
      this.#usual.set(error, true); // moves it to the end: it came last
      return;
    }
    const first = this.#first.get(error) ?? now;
    if (now - first < hourMs) this.#first.set(error, Math.min(first, now));
    else {
      this.#first.delete(error);
      this.#usual.set(error, true);
    }
  }

  has(error: string): boolean {
    return this.#usual.has(error);
  }
}

/** Events of each error that are admitted within a minute, even if the budget is used up. */
const leastOfError = 5;

/**
 * The limit of these events in a minute for all new errors together, and for all usual errors together: enough for a
 * hundred rare errors each.
 */
const leastRoom = 600;

/** When half of the room is used, a network may have at most a fifth of it. */
const networksShareFrom = 1 / 2;
const shareOfNetwork = 1 / 5;

const minuteMs = 60_000;

/**
 * Decides which events are admitted during a minute of a spike. The first events of each error are admitted, and a rare
 * error has no others. The errors share the budget's refill of a minute in equal parts, so only the bulk of the loudest
 * errors is left out.
 *
 * A flood can produce new errors for free, so first events have a limit, and within it each network of senders has a
 * limit. The errors that the project usually has only compete with each other. The tables only hold admitted events, so
 * they never have more entries than there is room.
 */
export class FairMinute {
  readonly #begunAt: number;
  readonly #perMinute: number;
  readonly #room: number;
  readonly #errorsBefore: number;
  readonly #ofError = new Map<string, number>();
  readonly #ofNetwork = new Map<string, number>();
  #firstCount = 0;
  #usualCount = 0;
  #sharedCount = 0;

  /** `perMinute` is the budget's refill of a minute. */
  constructor(now: number, perMinute: number, before?: FairMinute) {
    this.#begunAt = now;
    this.#perMinute = perMinute;
    this.#room = Math.max(leastRoom, perMinute);
    // Otherwise the loudest error, which comes first in each minute, would take the shares of the others.
    this.#errorsBefore = before && now - before.#begunAt < 2 * minuteMs ? before.#ofError.size : 1;
  }

  isOver(now: number): boolean {
    return now - this.#begunAt >= minuteMs || now < this.#begunAt;
  }

  /**
   * Whether an event of this error, from this network, is admitted; if so, counts it. `isUsual` says whether the
   * project had the error before.
   */
  lets(error: string, network: string, isUsual: boolean): boolean {
    const ofError = this.#ofError.get(error) ?? 0;
    const hasRoom = () => (isUsual ? this.#hasRoomForUsual() : this.#hasRoom(network));
    const isLet = ofError < leastOfError ? hasRoom() : this.#hasPart(ofError - leastOfError);
    if (isLet) this.#ofError.set(error, ofError + 1);
    return isLet;
  }

  #hasRoom(network: string): boolean {
    const ofNetwork = this.#ofNetwork.get(network) ?? 0;
    const isCrowded = this.#firstCount >= this.#room * networksShareFrom;
    if (this.#firstCount >= this.#room || (isCrowded && ofNetwork >= this.#room * shareOfNetwork)) return false;
    this.#firstCount++;
    this.#ofNetwork.set(network, ofNetwork + 1);
    return true;
  }

  #hasRoomForUsual(): boolean {
    if (this.#usualCount >= this.#room) return false;
    this.#usualCount++;
    return true;
  }

  #hasPart(taken: number): boolean {
    const part = this.#perMinute / Math.max(this.#errorsBefore, this.#ofError.size, 1);
    if (taken + 1 > part || this.#sharedCount + 1 > this.#perMinute) return false;
    this.#sharedCount++;
    return true;
  }
}
