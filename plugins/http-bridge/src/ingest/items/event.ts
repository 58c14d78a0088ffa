import { randomBytes } from "node:crypto";
import {
  isTransaction,
  readErrorEvent,
  unheldAddress,
  withSendersAddress,
  type JsonObject,
} from "@faultline/sentry-event";
import type { ErrorEvent } from "@faultline/proto";
import { parseEventJson, type EventJson } from "../body/event-json.ts";
import { storedPayload, type Body } from "../body/stored-payload.ts";
import { maxEventBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { ItemArrival } from "./arrival.ts";

/** An event, and the form in which it was sent: see ArrivedEvent. */
export interface ReadEvent {
  readonly event: ErrorEvent;
  readonly sent: JsonObject;
}

/**
 * The event in `json`; undefined for transactions, which are ignored. Refuses with 413 an event that is too large and with
 * 400 one that is not a JSON object. `original` is the body it came in, when that may be stored as it is.
 */
export function readEventItem(json: Buffer, arrival: ItemArrival, original?: Body): ReadEvent | undefined {
  refuseTooLong(json);
  const { event: sent, payload } = parseArrivedEvent(json, arrival);
  if (isTransaction(sent)) return undefined;
  return { event: readErrorEvent(sent, { ...arrival, payload: storedPayload(payload, original), newEventId }), sent };
}

/** Parses the JSON of an event. Its stored form has the sender's address where that would be lost. */
export function parseArrivedEvent(json: Buffer, { clientIp }: ItemArrival): EventJson {
  const { event, payload } = parseEventJson(json);
  const address = unheldAddress(event, clientIp);
  return { event, payload: address === "" ? payload : withSendersAddress(payload, address) };
}

export function refuseTooLong(json: Buffer): void {
  if (json.length > maxEventBytes) throw new IngestRefusal(413, `The event is larger than ${maxEventBytes} bytes.`);
}

/** The id of an event that names none. */
export function newEventId(): string {
  return randomBytes(16).toString("hex");
}
