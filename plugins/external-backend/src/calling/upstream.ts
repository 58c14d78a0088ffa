import {
  ServiceError,
  type Clock,
  type ExternalLink,
  type ExternalTarget,
  type Log,
  type Outbound,
} from "@faultline/plugin";
import type { JsonValue } from "@faultline/sentry-event";
import { ErrorReason } from "@faultline/proto";
import { addressOf, type Query } from "./address.ts";
import { AnswerMemory, type Answer } from "./answer-memory.ts";
import { Breaker } from "./breaker.ts";
import { failureOf, isDown, timedOut } from "./failures.ts";
import { Flight } from "./single-flight.ts";
import { LastSeen } from "../errors/last-seen.ts";
import { parsed, send, type Send } from "./send.ts";
import { bulkhead } from "./bulkhead.ts";

/** A read of the external system. */
export interface Question {
  /** Below `/api/0/`. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** Maximum age of a remembered answer, in milliseconds. Default 5,000. */
  readonly freshMs?: number;
  /** The refusal that a 404 becomes. Default: the answer is invalid. */
  readonly missing?: () => ServiceError;
}

/** An answer of the external system, parsed. */
export interface Reply {
  readonly json: JsonValue;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was read, where the external system cannot be reached now; undefined: it is current. */
  readonly staleSince: number | undefined;
}

/** The caller that a request is sent for. */
export interface Asker {
  readonly link: ExternalLink;
  /** Aborted when the caller has left or its time is over. */
  readonly signal: AbortSignal;
}

export interface UpstreamParts {
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
