import { randomBytes } from "node:crypto";
import { isTransaction, readErrorEvent } from "@faultline/plugin/sentry-event";
import type { ErrorEvent } from "@faultline/proto";
import { parseEventJson } from "../body/event-json.ts";
import { storedPayload, type Body } from "../body/stored-payload.ts";
import { maxEventBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import type { ItemArrival } from "./arrival.ts";

/**
 * The event in `json`; undefined for transactions, which are left aside. Refuses with 413 what is too large and with 400
 * what is no JSON object. `original` is the body it came in, when that may be stored as it is.
 */
export function readEventItem(json: Buffer, arrival: ItemArrival, original?: Body): ErrorEvent | undefined {
  if (json.length > maxEventBytes) throw new IngestRefusal(413, `The event is larger than ${maxEventBytes} bytes.`);
  const { event, payload } = parseEventJson(json);
  if (isTransaction(event)) return undefined;
  return readErrorEvent(event, { ...arrival, payload: storedPayload(payload, original), newEventId });
}

function newEventId(): string {
  return randomBytes(16).toString("hex");
}
