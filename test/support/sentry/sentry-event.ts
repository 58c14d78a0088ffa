import {
  type Arrival,
  type EventDetails,
  type JsonObject,
  type JsonValue,
  readErrorEvent,
  readEvent,
  type StoredPayload,
} from "@faultline/sentry-event";
import { type ErrorEvent, PayloadEncoding } from "@faultline/proto";

export const receivedAt = Date.UTC(2026, 10, 21, 12);
export const hour = 3_600_000;
export const day = 24 * hour;
export const id = "0123456789abcdef0123456789abcdef";
/** An exception of a type that nothing else has. */
export const boom = { type: "Boom", value: "bang" };
export const generated = "f".repeat(32);

export function plain(content: Uint8Array): StoredPayload {
  return { content, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
}

export function head(event: JsonObject, more: Partial<Arrival> = {}): ErrorEvent {
  return readErrorEvent(event, {
    projectId: 42,
    payload: plain(new Uint8Array()),
    receivedAt,
    newEventId: () => generated,
    ...more,
  });
}

export function details(event: JsonObject): EventDetails {
  return readEvent(JSON.stringify(event));
}

export function withFrames(frames: JsonValue[]): JsonObject {
  return { exception: [{ ...boom, stacktrace: { frames } }] };
}

export function synthetic(frames: JsonValue[]): JsonObject {
  return { exception: [{ ...boom, mechanism: { synthetic: true }, stacktrace: { frames } }] };
}

export function milliseconds(time: ErrorEvent["occurredTime"]): number | undefined {
  return time && Number(time.seconds) * 1000 + time.nanos / 1e6;
}

/** Entries in order, because comparing objects would compare their `constructor`, which is a tag here. */
export function entriesOf(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record);
}

/** Like JSON.stringify, which fails on values as deeply nested as some of these. */
export function stringify(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "{}";
  }
}
