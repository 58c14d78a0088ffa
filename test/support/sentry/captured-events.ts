import { decodeContent } from "../../../plugins/http-bridge/src/ingest/body/decoding/content-encoding.ts";
import { parseEnvelope } from "../../../plugins/http-bridge/src/ingest/body/envelope.ts";
import { type EventJson, parseEventJson } from "../../../plugins/http-bridge/src/ingest/body/event-json.ts";
import { readStoreBody } from "../../../plugins/http-bridge/src/ingest/body/store-body.ts";
import type { Capture } from "./capture.ts";

/** An error event of a capture, read like the bridge does. */
export interface CapturedEvent extends EventJson {
  /** `event_id` of the envelope header. */
  readonly envelopeEventId?: string | undefined;
}

/** The error events in the body of a capture. */
export function capturedEvents(capture: Capture): CapturedEvent[] {
  const encoding = capture.headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1];
  const body = decodeContent(capture.body, encoding, 2 ** 20);
  if (capture.target.includes("/store/")) return [parseEventJson(readStoreBody(body, 2 ** 20))];
  const { header, items } = parseEnvelope(body);
  return items.flatMap(({ type, payload }) =>
    type === "event" && payload ? [{ ...parseEventJson(payload), envelopeEventId: header.eventId }] : [],
  );
}
