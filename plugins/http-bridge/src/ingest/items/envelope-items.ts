import type { Intake } from "@faultline/plugin";
import type { JsonObject } from "@faultline/plugin/sentry-event";
import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";
import type { EnvelopeItem } from "../body/envelope.ts";
import { parseEventJson } from "../body/event-json.ts";
import { countValues } from "../body/json-shape.ts";
import type { ReceivedEnvelope } from "../body/read-envelope.ts";
import type { EventFilter } from "../event-filter.ts";
import { maxEntries, maxEventValues } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { Spending } from "../spending.ts";
import type { ItemArrival } from "./arrival.ts";
import { categoryOf, quantityOf } from "./category.ts";
import { readClientReport, type Discarded } from "./client-report.ts";
import { readEventItem } from "./event.ts";
import { readFeedback } from "./feedback.ts";
import { readSessionAggregates, readSessionUpdate } from "./session.ts";

/** What an envelope brings, item by item: one that is refused or bad does not take the others along. */
export class EnvelopeItems {
  readonly #events: ErrorEvent[] = [];
  readonly #sessions: SessionUpdate[] = [];
  readonly #aggregates: SessionAggregate[] = [];
  readonly #feedback: UserFeedback[] = [];
  /** Items that were refused, each with its category. */
  readonly refusals: IngestRefusal[] = [];
  /** What is not kept. */
  readonly leftAside: Discarded[] = [];
  /** What the SDK says that it did not send. */
  readonly notSent: Discarded[] = [];

  readonly #received: ReceivedEnvelope;
  readonly #arrival: ItemArrival;
  readonly #spending: Spending;
  readonly #filter: EventFilter;
  /** The id of the event, whether it is stored or a filter stopped it. Undefined: there is none, or it was refused. */
  eventId: string | undefined;
  #seenEvents = 0;
  #seenSessions = 0;
  /** Values that the items beside the event may still have. */
  #room = maxEventValues;

  constructor(
    received: ReceivedEnvelope,
    { arrival, spending, filter }: { arrival: ItemArrival; spending: Spending; filter: EventFilter },
  ) {
    this.#received = received;
    this.#arrival = arrival;
    this.#spending = spending;
    this.#filter = filter;
    for (const item of received.envelope.items) {
      try {
        this.#read(item);
      } catch (error) {
        if (!(error instanceof IngestRefusal)) throw error;
        this.refusals.push(error.of(categoryOf(item.type)));
      }
    }
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
    return [this.#events, this.#sessions, this.#aggregates, this.#feedback].every((list) => list.length === 0);
  }

  #read(item: EnvelopeItem): void {
    switch (item.type) {
      case "event":
        return ++this.#seenEvents > 1 ? this.#leaveAside(item, "extra") : this.#readEvent(item);
      case "session":
      case "sessions":
        return ++this.#seenSessions > maxEntries.sessionItems
          ? this.#leaveAside(item, "extra")
          : this.#readSession(item);
      case "user_report":
      case "feedback": {
        this.#spending.take("feedback");
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
    this.#spending.take("error");
    if (!payload) throw tooLarge("event");
    const { envelope, body } = this.#received;
    // Kept as it was sent when it brings nothing but the event; a DSN, which may hold a secret, is never kept.
    const original = envelope.items.length === 1 && envelope.header.dsn === undefined ? body : undefined;
    const read = readEventItem(payload, this.#arrival, original);
    if (!read) {
      this.leftAside.push({ category: "transaction", reason: "not_kept", quantity: 1 });
      return;
    }
    this.eventId = read.event.eventId;
    if (this.#filter(read)) this.#events.push(read.event);
  }

  #readSession(item: EnvelopeItem): void {
    if (item.type === "session") {
      this.#spending.take("session");
      const session = readSessionUpdate(this.#readJson(item), this.#arrival);
      if (session) this.#sessions.push(session);
      return;
    }
    // A bucket costs as much as a session: it brings as many rows. What cannot be read costs one.
    let aggregates: SessionAggregate[] = [];
    try {
      aggregates = readSessionAggregates(this.#readJson(item), this.#arrival);
    } finally {
      this.#spending.take("session", Math.max(1, aggregates.length));
    }
    this.#aggregates.push(...aggregates);
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
