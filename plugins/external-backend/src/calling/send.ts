import {
  JsonTooLarge,
  parseForeignJson,
  type Clock,
  type ExternalTarget,
  type Outbound,
  ServiceError,
} from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { JsonValue } from "@faultline/sentry-event";
import { failureOf, failureOfStatus, footprintTooBig, maxBodyBytes, notJson } from "./failures.ts";

export interface Send {
  readonly method: "GET" | "PUT";
  readonly url: string;
  /** As JSON. */
  readonly body?: string;
  /** The refusal that a 404 becomes. */
  readonly missing?: () => ServiceError;
}

/**
 * Time for one request, from the name lookup to the last byte. The original gives a background job 30 s; here a person
 * waits, ten seconds in all, and a request that takes all of them would look like a caller that left.
 */
const requestMs = 8_000;

/** Sends a request with the token. Refuses with one of the recorded messages unless the status is 200 to 204. */
export async function send(
  { outbound, clock }: { readonly outbound: Outbound; readonly clock: Clock },
  { method, url, body, missing }: Send,
  { token }: ExternalTarget,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await outbound
    .request({
      method,
      url,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        "Content-Type": "application/json",
        "User-Agent": "faultline",
      },
      ...(body !== undefined && { body }),
      maxBytes: maxBodyBytes,
      timeoutMs: requestMs,
      signal,
    })
    .catch((thrown: unknown) => {
      throw failureOf(thrown);
    });
  if (answer.status === 404 && missing) throw missing();
  const failure = failureOfStatus(answer.status, answer.headers, clock.now());
  if (failure) throw failure;
  return { body: answer.body, headers: answer.headers, readAt: clock.now() };
}

/** A body as JSON. Refuses a body that is not JSON or would take too much memory. */
export function parsed(body: Buffer): JsonValue {
  try {
    return parseForeignJson(body) as JsonValue; // JSON of any shape, read field by field
  } catch (error) {
    throw error instanceof JsonTooLarge ? footprintTooBig() : notJson(error);
  }
}

/** An answer as it was received, so that it can be parsed again. */
export interface Answer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was received, in milliseconds since 1970. */
  readonly readAt: number;
}

const keptMs = 600_000;
const maxBytes = 2 * 1024 * 1024;

/** The cost of an entry in bytes, without its body and key. */
const entryBytes = 1024;

/**
 * The last answers of one project's external system, for ten minutes and up to 2 MiB; the oldest are dropped first.
 * They are kept unparsed, because bytes can be counted and parsed objects cannot.
 */
export class AnswerMemory {
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(url: string, now: number): Answer | undefined {
    const answer = this.#answers.get(url);
    if (!answer || now - answer.readAt <= keptMs) return answer;
    this.#delete(url, answer);
    return undefined;
  }

  set(url: string, { body, headers, readAt }: Answer): void {
    const { link = "", "x-hits": hits = "", "x-sentry-direct-hit": hit = "" } = headers; // no other header is read
    const before = this.#answers.get(url);
    if (before) this.#delete(url, before);
    const answer = { body, headers: { link, "x-hits": hits, "x-sentry-direct-hit": hit }, readAt };
    this.#answers.set(url, answer);
    this.#bytes += cost(url, answer);
    for (const [oldest, old] of this.#answers) {
      if (this.#bytes <= maxBytes) return;
      this.#delete(oldest, old);
    }
  }

  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }

  #delete(url: string, answer: Answer): void {
    this.#answers.delete(url);
    this.#bytes -= cost(url, answer);
  }
}

function cost(url: string, { body, headers }: Answer): number {
  return entryBytes + url.length + body.length + (headers["link"]?.length ?? 0);
}

/** Concurrent calls of one project. */
export const maxRunning = 4;
const maxWaiting = 60;

/** Limits the concurrent calls of a project to four; refuses with OVERLOADED when 60 already wait. */
export function bulkhead(): FairQueue {
  return new FairQueue({
    atOnce: maxRunning,
    waiting: maxWaiting,
    refusal: () =>
      new ServiceError(
        ErrorReason.OVERLOADED,
        "Too many calls are waiting for the external system of this project. Try again in a moment.",
      ),
  });
}
