import { randomBytes } from "node:crypto";
import {
  isTransaction,
  readErrorEvent,
  unheldAddress,
  withSendersAddress,
  type JsonObject,
} from "@faultline/sentry-event";
import type { ErrorEvent, UserFeedback } from "@faultline/proto";
import { parseEventJson, type EventJson } from "../body/event-json.ts";
import { storedPayload, type Body } from "../body/stored-payload.ts";
import { maxEventBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { ItemArrival } from "./arrival.ts";
import { readFeedback } from "./feedback.ts";
import { leftAside, type LeftAside } from "./left-aside.ts";

/** An event, and its sent form: see ArrivedEvent. */
export interface ReadEvent {
  readonly event: ErrorEvent;
  readonly sent: JsonObject;
}

/** The content of an item of the type `event`, or of a request that sends one event. */
export type EventItem = ReadEvent | UserFeedback | LeftAside;

/**
 * Reads the event in `json`. Refuses an event that is too large with 413, and JSON that is not an object with 400.
 * `original` is the body it came in, if it may be stored unchanged.
 */
export function readEventItem(json: Buffer, arrival: ItemArrival, original?: Body): EventItem {
  refuseTooLong(json);
  const { event: sent, payload } = parseArrivedEvent(json, arrival);
  return readByType(sent, arrival, () => {
    return { event: readErrorEvent(sent, { ...arrival, payload: storedPayload(payload, original), newEventId }), sent };
  });
}

/**
 * An item sent as an event may also be a transaction, or feedback from Python's `capture_event`. `readError` reads
 * others.
 */
export function readByType(sent: JsonObject, arrival: ItemArrival, readError: () => ReadEvent): EventItem {
  if (isTransaction(sent)) return leftAside("not_kept", 1, "transaction");
  return sent["type"] === "feedback" ? readFeedback(sent, arrival) : readError();
}

export function isReadEvent(item: EventItem): item is ReadEvent {
  return "event" in item;
}

/** Parses the JSON of an event. Its stored form includes the sender's address if that would be lost. */
export function parseArrivedEvent(json: Buffer, { clientIp }: ItemArrival): EventJson {
  const { event, payload } = parseEventJson(json);
  const address = unheldAddress(event, clientIp);
  return { event, payload: address === "" ? payload : withSendersAddress(payload, address) };
}

export function refuseTooLong(json: Buffer): void {
  if (json.length > maxEventBytes) throw new IngestRefusal(413, `The event is larger than ${maxEventBytes} bytes.`);
}

/** An id for an event that names none. */
export function newEventId(): string {
  return randomBytes(16).toString("hex");
}
