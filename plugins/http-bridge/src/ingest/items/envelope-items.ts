import type { Intake } from "@faultline/plugin";
import type { JsonObject } from "@faultline/sentry-event";
import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";
import type { EnvelopeItem } from "../body/envelope.ts";
import { parseEventJson } from "../body/event-json.ts";
import { countValues } from "../body/json-shape.ts";
import type { ReceivedEnvelope } from "../body/read-envelope.ts";
import type { Body } from "../body/stored-payload.ts";
import type { EventFilter } from "../event-filter.ts";
import { maxEntries, maxEventValues } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { RateLimitUse } from "../rate-limit-use.ts";
import type { ItemArrival } from "./arrival.ts";
import { categoryOf, quantityOf } from "./category.ts";
import { readClientReport, type Discarded } from "./client-report.ts";
import { readEventItem, type ReadEvent } from "./event.ts";
import { readFeedback } from "./feedback.ts";
import { isLargeEvent, readLargeEvent } from "./large-event.ts";
import { bucketsOf, readSessionAggregates, readSessionUpdate } from "./session.ts";

/** The content of an envelope, item by item: an item that is refused or bad does not affect the others. */
export class EnvelopeItems {
  readonly #events: ErrorEvent[] = [];
  readonly #sessions: SessionUpdate[] = [];
  readonly #aggregates: SessionAggregate[] = [];
  readonly #feedback: UserFeedback[] = [];
  /** Items that were refused, each with its category. */
  readonly refusals: IngestRefusal[] = [];
  /** Items that are not stored. */
  readonly leftAside: Discarded[] = [];
  /** Items that the SDK reports as not sent. */
  readonly notSent: Discarded[] = [];

  readonly #received: ReceivedEnvelope;
  readonly #arrival: ItemArrival;
  readonly #rateLimits: RateLimitUse;
  readonly #filter: EventFilter;
  /** The id of the event, whether it is stored or a filter stopped it. Undefined: there is none, or it was refused. */
  eventId: string | undefined;
  #largeEvent: Buffer | undefined;
  #seenEvents = 0;
  #seenSessions = 0;
  #seenBuckets = 0;
  /** The refusal of sessions: the limit will not have room again before the envelope is read. */
  #sessionRefusal: IngestRefusal | undefined;
  #refusedUnread = 0;
  /** Values that the items beside the event may still have. */
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

  /** Whether the event is still to be read, as it is too large for the event loop. */
  get hasLargeEvent(): boolean {
    return this.#largeEvent !== undefined;
  }

  /** Reads that event in a thread; to be awaited before the content of the envelope is used. */
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
        return ++this.#seenEvents > 1 ? this.#leaveAside(item, "extra") : this.#readEvent(item);
      case "session":
      case "sessions":
        return ++this.#seenSessions > maxEntries.sessionItems
          ? this.#leaveAside(item, "extra")
          : this.#readSessions(item);
      case "user_report":
      case "feedback": {
        this.#rateLimits.take("feedback");
        const feedback = readFeedback(this.#readJson(item), this.#arrival);
        if (feedback) this.#feedback.push(feedback);
        return;
      }
      case "client_report":
        this.notSent.push(...readClientReport(this.#readJson(item)));
        return;
      default:
        this.#leaveAside(item, "not_kept");
    }
  }

  #readEvent({ payload }: EnvelopeItem): void {
    this.#rateLimits.take("error");
    if (!payload) throw tooLarge("event");
    if (isLargeEvent(payload)) this.#largeEvent = payload;
    else this.#takeEvent(readEventItem(payload, this.#arrival, this.#original));
  }

  /** The body as it was sent, when it has only the event; a DSN, which may hold a secret, is never kept. */
  get #original(): Body | undefined {
    const { envelope, body } = this.#received;
    return envelope.items.length === 1 && envelope.header.dsn === undefined ? body : undefined;
  }

  #takeEvent(read: ReadEvent | undefined): void {
    if (!read) {
      this.leftAside.push({ category: "transaction", reason: "not_kept", quantity: 1 });
      return;
    }
    this.eventId = read.event.eventId;
    if (this.#filter(read)) this.#events.push(read.event);
  }

  /** Once there is no room, later items are refused unread: 10,000 buckets take 100 ms. */
  #readSessions(item: EnvelopeItem): void {
    if (this.#sessionRefusal) {
      this.#refusedUnread += 1;
      return;
    }
    if (item.type === "sessions") return this.#readCountedSessions(item);
    this.#takeSessions(1);
    const session = readSessionUpdate(this.#readJson(item), this.#arrival);
    if (session) this.#sessions.push(session);
  }

  #readCountedSessions(item: EnvelopeItem): void {
    if (this.#seenBuckets >= maxEntries.sessionBucketsTogether) return this.#leaveAside(item, "extra");
    // A bucket costs as much as a session: it has as many rows. An item that cannot be read costs one.
    let aggregates: SessionAggregate[] = [];
    try {
      const sent = this.#readJson(item);
      this.#seenBuckets += bucketsOf(sent).length;
      aggregates = readSessionAggregates(sent, this.#arrival);
    } finally {
      this.#takeSessions(Math.max(1, aggregates.length));
    }
    this.#aggregates.push(...aggregates);
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

  #leaveAside({ type, header }: EnvelopeItem, reason: "not_kept" | "extra"): void {
    this.leftAside.push({ category: categoryOf(type), reason, quantity: quantityOf(header) });
  }
}

function tooLarge(type: string): IngestRefusal {
  return new IngestRefusal(413, `The envelope holds more than may come of the type ${type}.`);
}
