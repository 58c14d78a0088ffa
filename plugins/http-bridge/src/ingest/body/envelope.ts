import type { JsonObject } from "@faultline/plugin/sentry-event";
import { readEventId, readTime } from "@faultline/plugin/sentry-event";
import { IngestRefusal } from "../refusal.ts";

/** An envelope: its header and its items in order. */
export interface Envelope {
  readonly header: EnvelopeHeader;
  readonly items: EnvelopeItem[];
}

/** What is used of an envelope's header. A field that cannot be read is absent. */
export interface EnvelopeHeader {
  /** 32 lower-case hexadecimal digits. */
  readonly eventId?: string;
  /** May hold a secret: never to be logged. */
  readonly dsn?: string;
  /** When it was sent by the sender's clock, in milliseconds since 1970. */
  readonly sentAt?: number;
}

/** One item of an envelope. */
export interface EnvelopeItem {
  /** Empty when the item has none: such an item is ignored like an unknown one. */
  readonly type: string;
  readonly header: JsonObject;
  /** A view into the body, not a copy. */
  readonly payload: Buffer;
}

/** The most items an envelope may have. */
export const MAX_ITEMS = 200;

/** The most bytes a header line may have: those of Java and Node take 300 to 900. */
export const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Splits an envelope into its header and items by section 3: lines end with LF and nothing else, payloads end where
 * `length` says, or else at the next LF. Refuses with 400 what is not framed so, as a whole.
 */
export function parseEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw malformed("It is empty.");
  const headerEnd = lineEnd(body, 0);
  const header = readEnvelopeHeader(parseHeader(body, 0, headerEnd, "The envelope header"));
  const items: EnvelopeItem[] = [];
  let offset = headerEnd + 1;
  let lastHadLength = true;
  while (offset < body.length) {
    const start = skipBlankLines(body, offset);
    if (start >= body.length) break;
    // Some old SDKs put a blank line between items; after a payload with a length it means the length was wrong.
    if (start > offset && lastHadLength) throw malformed("There is a blank line where an item header should be.");
    if (items.length === MAX_ITEMS) throw malformed(`It has more than ${MAX_ITEMS} items.`);
    const itemHeaderEnd = lineEnd(body, start);
    const itemHeader = parseHeader(body, start, itemHeaderEnd, `The header of item ${items.length + 1}`);
    const payloadStart = Math.min(itemHeaderEnd + 1, body.length);
    const length = readLength(itemHeader, items.length + 1);
    const payloadEnd = length === undefined ? lineEnd(body, payloadStart) : payloadStart + length;
    if (payloadEnd > body.length) throw malformed(`It ends before the payload of item ${items.length + 1} does.`);
    if (payloadEnd < body.length && body[payloadEnd] !== LF) {
      throw malformed(`The payload of item ${items.length + 1} is longer than its length says.`);
    }
    items.push({
      type: typeof itemHeader["type"] === "string" ? itemHeader["type"] : "",
      header: itemHeader,
      payload: body.subarray(payloadStart, payloadEnd),
    });
    lastHadLength = length !== undefined;
    offset = payloadEnd + 1;
  }
  return { header, items };
}

const LF = 0x0a;
const CR = 0x0d;
const BRACE = 0x7b;

/** Where the line that starts at `start` ends: at its LF, or at the end of the body. */
function lineEnd(body: Buffer, start: number): number {
  const end = body.indexOf(LF, start);
  return end < 0 ? body.length : end;
}

function skipBlankLines(body: Buffer, start: number): number {
  let offset = start;
  for (;;) {
    if (body[offset] === LF) offset += 1;
    else if (body[offset] === CR && (body[offset + 1] === LF || offset + 1 === body.length)) offset += 2;
    else return offset;
  }
}

function parseHeader(body: Buffer, start: number, end: number, name: string): JsonObject {
  if (end - start > MAX_HEADER_BYTES) throw malformed(`${name} is longer than ${MAX_HEADER_BYTES} bytes.`);
  if (body[start] !== BRACE) throw malformed(`${name} is not a JSON object.`);
  try {
    return JSON.parse(body.toString("utf8", start, end));
  } catch {
    throw malformed(`${name} is not valid JSON.`);
  }
}

function readEnvelopeHeader(header: JsonObject): EnvelopeHeader {
  const eventId = readEventId(header["event_id"]);
  const sentAt = readTime(header["sent_at"]);
  const dsn = header["dsn"];
  return {
    ...(eventId !== undefined && { eventId }),
    ...(typeof dsn === "string" && { dsn }),
    ...(sentAt !== undefined && { sentAt }),
  };
}

function readLength(header: JsonObject, item: number): number | undefined {
  const length = header["length"];
  if (length === undefined || length === null) return undefined;
  const bytes = typeof length === "string" && /^\d+$/.test(length) ? Number(length) : length;
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) {
    throw malformed(`The length of item ${item} is not a number of bytes.`);
  }
  return bytes;
}

function malformed(cause: string): IngestRefusal {
  return new IngestRefusal(400, "The envelope is malformed.", [cause]);
}
