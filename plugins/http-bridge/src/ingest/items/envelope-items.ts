import type { Intake, Admission } from "@faultline/plugin";
import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import {
  type ErrorEvent,
  type SessionAggregate,
  type SessionUpdate,
  type UserFeedback,
  OutcomeKind,
} from "@faultline/proto";
import type { EnvelopeItem } from "../body/envelope.ts";
import { parseEventJson } from "../body/event-json.ts";
import { countValues } from "../body/json-shape.ts";
import type { ReceivedEnvelope } from "../body/read-envelope.ts";
import type { Body } from "../body/stored-payload.ts";
import { maxEntries, maxEventValues, maxQuantity } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { RateLimitUse } from "../rate-limit-use.ts";
import type { ItemArrival } from "./arrival.ts";
import { isReadEvent, readEventItem, type EventItem, type ReadEvent } from "./event.ts";
import { readFeedback } from "./feedback.ts";
import { isLargeEvent, readLargeEvent } from "./large-event.ts";
import { isLeftAside, type LeftAside, type LeftAsideReason, leftAside } from "./left-aside.ts";
import { bucketsOf, readSessionAggregates, readSessionUpdate } from "./session.ts";
import type { RequestContext } from "../../request-context.ts";

/** The content of an envelope, item by item: a refused or invalid item does not affect the others. */
export class EnvelopeItems {
  readonly #events: ErrorEvent[] = [];
  readonly #sessions: SessionUpdate[] = [];
  readonly #aggregates: SessionAggregate[] = [];
  readonly #feedback: UserFeedback[] = [];
  /** Refused items, each with its category. */
  readonly refusals: IngestRefusal[] = [];
  /** Items that are not stored. */
  readonly leftAside: Discarded[] = [];
  /** Items that the SDK reports as unsent. */
  readonly notSent: Discarded[] = [];

  readonly #received: ReceivedEnvelope;
  readonly #arrival: ItemArrival;
  readonly #rateLimits: RateLimitUse;
  readonly #filter: EventFilter;
  /** The id of the event, whether it is stored or filtered. Undefined if there is no event, or it was refused. */
  eventId: string | undefined;
  #largeEvent: Buffer | undefined;
  #seenEvents = 0;
  #seenSessions = 0;
  #seenBuckets = 0;
  /** The refusal of sessions: the limit has no room again until the envelope is completely read. */
  #sessionRefusal: IngestRefusal | undefined;
  #refusedUnread = 0;
  /** Values that the items besides the event may still have. */
  #room = maxEventValues;

  constructor(
    received: ReceivedEnvelope,
    { arrival, rateLimits, filter }: { arrival: ItemArrival; rateLimits: RateLimitUse; filter: EventFilter },
  ) {
    this.#received = received;
    this.#arrival = arrival;
    this.#rateLimits = rateLimits;
    this.#filter = filter;
    for (const item of received.envelope.items) {
      try {
        this.#read(item);
      } catch (error) {
        this.#refuse(error, item.type);
      }
    }
    if (this.#sessionRefusal && this.#refusedUnread > 0)
      this.refusals.push(this.#sessionRefusal.of(categoryOf("session"), this.#refusedUnread));
  }

  /** Whether the event still has to be read, because it is too large for the event loop. */
  get hasLargeEvent(): boolean {
    return this.#largeEvent !== undefined;
  }

  /** Reads the large event in a thread. Await it before using the content of the envelope. */
  async readLargeEvent(): Promise<void> {
    if (!this.#largeEvent) return;
    const from = { sender: this.#rateLimits, original: this.#original };
    try {
      this.#takeEvent(await readLargeEvent(this.#largeEvent, this.#arrival, from));
    } catch (error) {
      this.#refuse(error, "event");
    }
    this.#largeEvent = undefined;
  }

  get intake(): Intake {
    return {
      events: this.#events,
      sessions: this.#sessions,
      aggregates: this.#aggregates,
      feedback: this.#feedback,
    };
  }

  get isEmpty(): boolean {
    const sessions = this.#sessions.length + this.#aggregates.length;
    return this.#events.length + sessions + this.#feedback.length === 0;
  }

  #read(item: EnvelopeItem): void {
    switch (item.type) {
      case "event":
        return ++this.#seenEvents > 1 ? this.#skip(item, "extra") : this.#readEvent(item);
      case "session":
      case "sessions":
        return ++this.#seenSessions > maxEntries.sessionItems ? this.#skip(item, "extra") : this.#readSessions(item);
      case "user_report":
      case "feedback": {
        this.#rateLimits.take("feedback");
        this.#take(item.type, readFeedback(this.#readJson(item), this.#arrival), this.#feedback);
        return;
      }
      case "client_report":
        for (const read of readClientReport(this.#readJson(item))) this.#take(item.type, read, this.notSent);
        return;
      default:
        this.#skip(item, "not_kept");
    }
  }

  #readEvent({ payload }: EnvelopeItem): void {
    this.#rateLimits.take("error");
    if (!payload) throw tooLarge("event");
    if (isLargeEvent(payload)) this.#largeEvent = payload;
    else this.#takeEvent(readEventItem(payload, this.#arrival, this.#original));
  }

  /** The sent body, if it has only the event. A DSN may hold a secret, so a body with a DSN is never kept. */
  get #original(): Body | undefined {
    const { envelope, body } = this.#received;
    return envelope.items.length === 1 && envelope.header.dsn === undefined ? body : undefined;
  }

  #takeEvent(read: EventItem): void {
    if (isReadEvent(read)) {
      this.eventId = read.event.eventId;
      if (this.#filter(read)) this.#events.push(read.event);
      return;
    }
    if (!isLeftAside(read)) this.#rateLimits.take("feedback");
    this.#take("event", read, this.#feedback);
  }

  /** Adds a parsed item to the others of its type, or counts it if it is not stored. */
  #take<T extends object>(type: string, read: T | LeftAside, others: T[]): void {
    if (isLeftAside(read)) this.leftAside.push(outcomeOf(read, categoryOf(type)));
    else others.push(read);
  }

  /** Once the limit has no room, later items are refused unread: 10,000 buckets take 100 ms. */
  #readSessions(item: EnvelopeItem): void {
    if (this.#sessionRefusal) {
      this.#refusedUnread += 1;
      return;
    }
    if (item.type === "sessions") return this.#readCountedSessions(item);
    this.#takeSessions(1);
    this.#take(item.type, readSessionUpdate(this.#readJson(item), this.#arrival), this.#sessions);
  }

  #readCountedSessions(item: EnvelopeItem): void {
    if (this.#seenBuckets >= maxEntries.sessionBucketsTogether) return this.#skip(item, "extra");
    // A bucket costs as much as a session, because it has as many rows. An unreadable item costs as much as a bucket.
    let read: (SessionAggregate | LeftAside)[] = [];
    try {
      const sent = this.#readJson(item);
      this.#seenBuckets += bucketsOf(sent).length;
      read = readSessionAggregates(sent, this.#arrival);
    } finally {
      this.#takeSessions(Math.max(1, read.filter((one) => !isLeftAside(one)).length));
    }
    for (const one of read) this.#take(item.type, one, this.#aggregates);
  }

  #takeSessions(count: number): void {
    try {
      this.#rateLimits.take("session", count);
    } catch (error) {
      if (error instanceof IngestRefusal) this.#sessionRefusal = error;
      throw error;
    }
  }

  #refuse(error: unknown, type: string): void {
    if (!(error instanceof IngestRefusal)) throw error;
    this.refusals.push(error.of(categoryOf(type)));
  }

  #readJson({ payload, type }: EnvelopeItem): JsonObject {
    if (!payload) throw tooLarge(type);
    this.#room -= countValues(payload, this.#room);
    return parseEventJson(payload).event;
  }

  /** Leaves out an item without reading it. */
  #skip({ type, header }: EnvelopeItem, reason: LeftAsideReason): void {
    this.leftAside.push({ category: categoryOf(type), reason, quantity: quantityOf(header) });
  }
}

/** The outcome of an item that is not stored; its type has a category. */
export function outcomeOf({ leftAside: reason, quantity, category }: LeftAside, ofType: string): Discarded {
  return { category: category ?? ofType, reason, quantity };
}

function tooLarge(type: string): IngestRefusal {
  return new IngestRefusal(413, `The envelope has too many items of the type ${type}.`);
}

/** Whether the project's filters accept an event. */
type EventFilter = (read: ReadEvent) => boolean;

/** The filters that apply to the events of a request. Filtered events are counted with their reason. */
export function eventFilterOf({ host, request, clientIp }: RequestContext, admission: Admission): EventFilter {
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, userAgentLookedAt);
  return ({ event, sent }) => {
    const reason = host.events.filter(admission, { event, sent, clientIp, userAgent });
    if (reason === undefined) return true;
    const { projectId } = admission;
    host.events.note({ projectId, kind: OutcomeKind.FILTERED, category: "error", reason, quantity: 1 });
    return false;
  };
}

const userAgentLookedAt = 512;

/** The category of each item type that is not stored, in the words of rate limits (section 3). */
const categoryOfType: Readonly<Record<string, string>> = {
  attachment: "attachment",
  check_in: "monitor",
  event: "error",
  feedback: "feedback",
  log: "log_item",
  metric_buckets: "metric_bucket",
  metric_meta: "metric_bucket",
  metrics: "metric_bucket",
  nel: "security",
  otel_log: "log_item",
  otel_span: "span",
  profile: "profile",
  profile_chunk: "profile",
  profile_chunk_ui: "profile",
  raw_security: "security",
  replay_event: "replay",
  replay_recording: "replay",
  replay_video: "replay",
  security: "security",
  session: "session",
  sessions: "session",
  span: "span",
  statsd: "metric_bucket",
  trace_metric: "trace_metric",
  transaction: "transaction",
  user_report: "feedback",
};

/** The category of an item; `default` for unknown types. */
function categoryOf(type: string): string {
  return Object.hasOwn(categoryOfType, type) ? (categoryOfType[type] ?? "default") : "default";
}

/** The number of entries in an item. Containers of logs and spans give it in their header. */
function quantityOf(header: JsonObject): number {
  const count = header["item_count"];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? Math.min(count, maxQuantity) : 1;
}

/** A count of items that an SDK did not send. */
interface Discarded {
  readonly category: string;
  readonly reason: string;
  readonly quantity: number;
}

/** Reads a `client_report`: its `discarded_events`. Unknown words become `other` and `default`. */
export function readClientReport(report: JsonObject): (Discarded | LeftAside)[] {
  const sent = report["discarded_events"];
  if (!Array.isArray(sent)) return [leftAside("unreadable")];
  const read: (Discarded | LeftAside)[] = sent.slice(0, maxEntries.clientReport).map(readDiscarded);
  if (sent.length > read.length) read.push(leftAside("extra", sent.length - read.length));
  return read;
}

const reasons = new Set([
  "before_send",
  "backpressure",
  "buffer_overflow",
  "cache_overflow",
  "event_processor",
  "insufficient_data",
  "internal_sdk_error",
  "network_error",
  "queue_overflow",
  "ratelimit_backoff",
  "sample_rate",
  "send_error",
]);

const categories = new Set([
  "attachment",
  "error",
  "feedback",
  "log_byte",
  "log_item",
  "metric_bucket",
  "monitor",
  "profile",
  "replay",
  "security",
  "session",
  "span",
  "trace_metric",
  "transaction",
]);

// The words are a fixed set, so no sender can fill the table of outcomes with new words.
function readDiscarded(entry: JsonValue): Discarded | LeftAside {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return leftAside("unreadable");
  const { reason, category, quantity } = entry;
  if (typeof quantity !== "number" || !Number.isInteger(quantity) || quantity < 1) return leftAside("unreadable");
  return {
    reason: typeof reason === "string" && reasons.has(reason) ? reason : "other",
    category: typeof category === "string" && categories.has(category) ? category : "default",
    quantity: Math.min(quantity, maxQuantity),
  };
}
