import {
  ServiceError,
  type Clock,
  type ExternalLink,
  type ExternalTarget,
  type Log,
  type Outbound,
  startOfHour,
} from "@faultline/plugin";
import { backoff, BoundedMap } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { JsonValue } from "@faultline/sentry-event";
import { failureOf, isDown, timedOut } from "./failures.ts";
import { parsed, send, type Send, AnswerMemory, type Answer, bulkhead } from "./send.ts";

/** A read of the external system. */
export interface Question {
  /** Below `/api/0/`. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** Maximum age of a remembered answer, in milliseconds. Default 5,000. */
  readonly freshMs?: number;
  /** The refusal that a 404 becomes. By default, the answer is invalid. */
  readonly missing?: () => ServiceError;
}

/** An answer of the external system, parsed. */
export interface Reply {
  readonly json: JsonValue;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was read, if the external system cannot be reached now; undefined if it is current. */
  readonly staleSince: number | undefined;
}

/** The caller that a request is sent for. */
interface Asker {
  readonly link: ExternalLink;
  /** Aborted when the caller has left or the call timed out. */
  readonly signal: AbortSignal;
}

interface UpstreamParts {
  readonly projectId: number;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when it remembers more. */
  readonly remembered: () => void;
}

const usuallyFreshMs = 5_000;

/**
 * The external system of one project, at one revision of its settings, and what is remembered of it: its last answers,
 * whether it answers at all, and when the next call may be sent. It holds no token.
 */
export class Upstream {
  readonly lastSeen = new LastSeen();
  /** The external id of the linked project, once it is known. */
  externalProjectId: string | undefined;
  readonly #parts: UpstreamParts;
  readonly #answers = new AnswerMemory();
  readonly #flights = new Map<string, Flight<Reply>>();
  readonly #bulkhead = bulkhead();
  readonly #breaker = new Breaker();
  #lastFailure: ServiceError | undefined;
  #notBefore = 0;
  #generation = 0;

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
  }

  /** Bytes of the remembered answers. */
  get bytes(): number {
    return this.#answers.bytes;
  }

  /**
   * Returns an answer of the last seconds, or asks for one. While the system is down it returns the last answer, marked
   * as stale; without one it refuses with one of the EXTERNAL reasons.
   */
  async ask(asker: Asker, question: Question): Promise<Reply> {
    const url = addressOf(asker.link.apiUrl, question.path, question.query);
    const known = this.#answers.get(url, this.#now);
    if (known && this.#now - known.readAt < (question.freshMs ?? usuallyFreshMs)) return replyOf(known);
    try {
      return await this.#flight(url, asker, question).join(asker.signal);
    } catch (failure) {
      const last = isDown(failure) ? this.#answers.get(url, this.#now) : undefined;
      if (!last) throw failure;
      return replyOf(last, last.readAt);
    }
  }

  /** As `ask`, but never from a remembered answer. For reads that a change depends on. */
  async askNow(asker: Asker, question: Question): Promise<JsonValue> {
    const url = addressOf(asker.link.apiUrl, question.path, question.query);
    return (await this.#get(url, asker.link, question, asker.signal)).json;
  }

  /** Changes something and then forgets all answers, whatever the outcome. */
  async change(asker: Asker, change: { path: readonly string[]; query?: Query; body: object }): Promise<void> {
    const url = addressOf(asker.link.apiUrl, change.path, change.query);
    try {
      await this.#send({ method: "PUT", url, body: JSON.stringify(change.body) }, asker.link, asker.signal);
    } finally {
      this.forget();
    }
  }

  /** Forgets all answers, also those still under way. */
  forget(): void {
    this.#generation++;
    this.#answers.clear();
    this.#flights.clear();
  }

  /** Callers that ask the same at the same time share one call. */
  #flight(url: string, { link }: Asker, question: Question): Flight<Reply> {
    const known = this.#flights.get(url);
    if (known) return known;
    const flight: Flight<Reply> = new Flight(
      (signal) => this.#get(url, link, question, signal),
      () => this.#flights.get(url) === flight && this.#flights.delete(url),
    );
    this.#flights.set(url, flight);
    return flight;
  }

  async #get(url: string, link: ExternalLink, { missing }: Question, signal: AbortSignal): Promise<Reply> {
    const generation = this.#generation;
    const answer = await this.#send({ method: "GET", url, ...(missing && { missing }) }, link, signal);
    const read = replyOf(answer); // an answer that cannot be read is not remembered
    if (generation === this.#generation) {
      this.#answers.set(url, answer);
      this.#parts.remembered();
    }
    return read;
  }

  async #send(request: Send, target: ExternalTarget, signal: AbortSignal): Promise<Answer> {
    this.#refuseWhileClosed();
    const call = async () => {
      this.#refuseWhileClosed(); // it may have gone down while this call waited
      const isTrial = this.#breaker.begin();
      try {
        const answer = await send(this.#parts, request, target, signal);
        this.#breaker.succeeded();
        return answer;
      } catch (thrown) {
        const failure = failureOf(thrown);
        if (!signal.aborted) this.#note(failure); // a caller that left says nothing about the system
        throw failure;
      } finally {
        if (isTrial) this.#breaker.trialEnded();
      }
    };
    return this.#bulkhead.run({ owners: ["project"], signal, left: timedOut }, call);
  }

  #note(failure: ServiceError): void {
    if (failure.reason === ErrorReason.EXTERNAL_UNREACHABLE) {
      this.#lastFailure = failure;
      if (!this.#breaker.failed(this.#now)) return;
      const { log, projectId } = this.#parts;
      log.warn({ projectId, failure: failure.message }, "an external system does not respond; calls to it are paused");
      return;
    }
    this.#breaker.succeeded(); // it answers, even if wrongly
    if (failure.reason === ErrorReason.EXTERNAL_RATE_LIMITED) {
      this.#notBefore = Math.max(this.#notBefore, this.#now + failure.retryAfterSeconds * 1000);
    }
  }

  #refuseWhileClosed(): void {
    const limitedMs = this.#notBefore - this.#now;
    if (limitedMs > 0) throw again(ErrorReason.EXTERNAL_RATE_LIMITED, limitedMs, "Sentry response status code: 429");
    const waitMs = this.#breaker.waitMs(this.#now);
    if (waitMs > 0)
      throw again(ErrorReason.EXTERNAL_UNREACHABLE, waitMs, this.#lastFailure?.message ?? "Unexpected Error");
  }

  get #now(): number {
    return this.#parts.clock.now();
  }
}

function replyOf({ body, headers }: Answer, staleSince?: number): Reply {
  return { json: parsed(body), headers, staleSince };
}

function again(reason: ErrorReason, waitMs: number, message: string): ServiceError {
  return new ServiceError(reason, message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** Work that several callers wait for. It is aborted when the last of them has left. */
class Flight<T> {
  readonly #result: Promise<T>;
  readonly #stop = new AbortController();
  #waiting = 0;

  /** `ended` is called once, as soon as no more callers should join. */
  constructor(work: (signal: AbortSignal) => Promise<T>, ended: () => void) {
    this.#stop.signal.addEventListener("abort", ended, { once: true });
    this.#result = work(this.#stop.signal).finally(ended);
  }

  /** Resolves with the result; refused as a timeout when `signal` is aborted before. */
  join(signal: AbortSignal): Promise<T> {
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting--;
        reject(timedOut());
        if (this.#waiting === 0) this.#stop.abort();
      };
      this.#result.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }
}

/**
 * Consecutive failures after which no more calls are sent. A list sends up to four calls, so one bad moment must not
 * reach it.
 */
const maxFailures = 5;

const pauses = { firstMs: 10_000, longestMs: 300_000 };

/**
 * Keeps calls from a system that does not answer. After some consecutive failures nothing is sent for a while, then one
 * trial; each failed trial doubles the pause, up to five minutes, and the first success ends it. Pure: the caller
 * passes the time.
 */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  /** The pauses since it answered last. */
  #pauses = 0;
  #isTrying = false;

  /** How long no call may be sent, in milliseconds; 0 when one may be sent now. */
  waitMs(now: number): number {
    if (this.#failures < maxFailures) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    return this.#isTrying ? 1_000 : 0;
  }

  /** Records that a call is sent. True when it is a trial: the caller must then report its end, however it ends. */
  begin(): boolean {
    const isTrial = this.#failures >= maxFailures;
    if (isTrial) this.#isTrying = true;
    return isTrial;
  }

  trialEnded(): void {
    this.#isTrying = false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#pauses = 0;
  }

  /** Records a failure. True when it opens the breaker. */
  failed(now: number): boolean {
    this.#failures++;
    // Calls that were already under way when it opened do not make the pause longer.
    if (this.#failures < maxFailures || now < this.#openUntil) return false;
    this.#pauses++;
    this.#openUntil = now + backoff(this.#pauses, pauses);
    return true;
  }
}

/** Query parameters of a call. A list repeats its parameter; undefined leaves it out. */
type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The URL of a call to an external system: each path segment is encoded, doubled slashes are collapsed. */
export function addressOf(apiUrl: string, path: readonly string[], query: Query = {}): string {
  if (path.some((part) => /^\.{0,2}$/.test(part))) {
    // A segment of dots would lead elsewhere, an empty one would be collapsed.
    throw new ServiceError(
      ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE,
      "The linked external project has no usable name. A maintainer can select it again in Settings > Monitor > Error Tracking.",
    );
  }
  const base = apiUrl.replace(/(?<!:)\/{2,}/g, "/").replace(/\/$/, "");
  const parts = path.map((part) => `${encodeURIComponent(part.toWellFormed())}/`).join("");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  return `${base}/api/0/${parts}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

/** The most errors kept per project; each costs some hundred bytes. */
const maxErrors = 2_000;

/**
 * The time that the last-seen label of an error shows (specification 1.7): the time of its newest event before the current
 * hour. External systems report only the newest event, so the earlier value comes from an earlier report.
 */
export class LastSeen {
  readonly #known = new BoundedMap<string, { newest: number; settled: number | undefined }>(maxErrors);

  /** The settled time; undefined when it is unknown. `derived`: the time from another source. */
  settled(errorId: string, newest: number, derived: number | undefined, now: number): number | undefined {
    const hour = startOfHour(now);
    const known = this.#known.get(errorId);
    const candidates = [newest, derived, known?.newest, known?.settled].filter(
      (time): time is number => time !== undefined && time < hour,
    );
    const settled = candidates.length > 0 ? Math.max(...candidates) : undefined;
    this.#known.set(errorId, { newest: Math.max(newest, known?.newest ?? 0), settled });
    return settled;
  }
}
