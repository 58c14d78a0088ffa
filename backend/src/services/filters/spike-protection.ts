import { clientSite, listsToAnnounce, type Announcements, type ArrivedEvent, type Clock } from "@faultline/plugin";
import { BoundedMap, Delayed, TokenBucket } from "@faultline/plugin/flow";
import type { ErrorEvent } from "@faultline/proto";
import { mainException } from "@faultline/sentry-event";
import type { EventHours } from "./event-hours.ts";

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

/** Enough of a text to distinguish errors without a stack; numbers in it vary within an error. */
const prefixLength = 64;

/**
 * A cheap stand-in for the error of an event, which its backend determines later at a higher cost: the application's
 * own fingerprint, otherwise type and culprit, otherwise the beginning of the text up to its first number. Errors with
 * the same key share a minute's allowance, so the culprit is part of it.
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

/** Errors of one project that are remembered; those that came last. */
const errorsRemembered = 200;

const hourMs = 3_600_000;

/**
 * The errors that a project usually has: those that came in two hours at least an hour apart. In memory, so nothing is usual after a
 * restart until then. Errors are keys as `errorKey` makes them.
 */
class UsualErrors {
  /** When an error came first. */
  readonly #first = new BoundedMap<string, number>(errorsRemembered);
  readonly #usual = new BoundedMap<string, true>(errorsRemembered);

  /** Notes an error that came while there was no spike. */
  note(error: string, now: number): void {
    if (this.#usual.has(error)) {
      this.#usual.set(error, true); // it came last
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

/** Events of each error that are admitted within a minute, however little of the budget is left. */
const leastOfError = 5;

/** The limit of those in a minute for all new errors together, and for all usual ones: enough for a hundred rare errors each. */
const leastRoom = 600;

/** When half of that room is used, a network may have at most a fifth of it. */
const networksShareFrom = 1 / 2;
const shareOfNetwork = 1 / 5;

const minuteMs = 60_000;

/**
 * Decides which events are admitted during one minute of a spike. The first events of each error are, which is all that
 * a rare error has; the errors share the budget's refill of a minute in equal parts. So only the bulk of the loudest
 * errors is left out.
 *
 * A flood can produce new errors for free, so there is a limit of first events, and within it one for each network of
 * senders. The errors that the project usually has compete with each other alone. The tables hold admitted events only, and so no more entries than there is room.
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

  /** `perMinute`: the budget's refill of a minute. */
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

  /** Whether an event of this error, from this network, is admitted; if so, it is counted. `isUsual`: the project had it before. */
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
