import { readEventId, readTime, type JsonObject } from "@faultline/sentry-event";
import { maxHeaderBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";

/** The used fields of an envelope's header. Unreadable fields are undefined. */
export interface EnvelopeHeader {
  /** 32 lower-case hexadecimal digits. */
  readonly eventId?: string;
  /** May hold a secret: never log it. */
  readonly dsn?: string;
  /** The time of sending by the sender's clock, in milliseconds since 1970. */
  readonly sentAt?: number;
}

/** Parses the header line of an envelope or an item; `name` names it in refusals. */
export function parseHeader(line: Buffer, name: string): JsonObject {
  if (line.length > maxHeaderBytes) throw malformed(`${name} is longer than ${maxHeaderBytes} bytes.`);
  if (line[0] !== BRACE) throw malformed(`${name} is not a JSON object.`);
  try {
    return JSON.parse(line.toString());
  } catch {
    throw malformed(`${name} is not valid JSON.`);
  }
}

export function readEnvelopeHeader(header: JsonObject): EnvelopeHeader {
  const eventId = readEventId(header["event_id"]);
  const sentAt = readTime(header["sent_at"]);
  const dsn = header["dsn"];
  return {
    ...(eventId !== undefined && { eventId }),
    ...(typeof dsn === "string" && { dsn }),
    ...(sentAt !== undefined && { sentAt }),
  };
}

/** The payload length that an item's header gives; undefined if it gives none. */
export function readLength(header: JsonObject, item: number): number | undefined {
  const length = header["length"];
  if (length === undefined || length === null) return undefined;
  const bytes = typeof length === "string" && /^\d+$/.test(length) ? Number(length) : length;
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) {
    throw malformed(`The length of item ${item} is not a number of bytes.`);
  }
  return bytes;
}

export function malformed(cause: string): IngestRefusal {
  return new IngestRefusal(400, "The envelope is malformed.", [cause]);
}

const BRACE = 0x7b;
