import { inflate } from "./decoding/content-encoding.ts";
import { IngestRefusal } from "../refusal.ts";

/**
 * Finds the event's JSON in the body of a store request, or in `sentry_data` of the GET form (section 4.2): plain, in
 * base64, or in base64 of zlib (raven-go, above 1,000 bytes). Content-Type does not tell the forms apart.
 */
export function readStoreBody(body: Buffer, maxBytes: number): Buffer {
  const start = skipBlank(body);
  if (start === body.length) throw new IngestRefusal(400, "The request body is empty.");
  if (body[start] === BRACE) return body.subarray(start);
  const decoded = decodeBase64(body);
  if (decoded[0] === BRACE) return decoded;
  try {
    return inflate(decoded, maxBytes);
  } catch (error) {
    if (error instanceof IngestRefusal && error.status !== 400) throw error;
    throw new IngestRefusal(400, "The request body is neither a JSON object nor base64 of one.");
  }
}

/**
 * Whether a store request contains an envelope: its Content-Type says so, and its first line is a complete JSON object
 * followed by more lines. Some clients send this type with a bare event.
 */
export function holdsEnvelope(body: Buffer, contentType: string | undefined): boolean {
  if (!contentType?.trim().toLowerCase().startsWith("application/x-sentry-envelope")) return false;
  const end = body.indexOf(LF);
  if (end < 0 || skipBlank(body.subarray(end)) === body.length - end) return false;
  const last = body[end - 1] === CR ? end - 2 : end - 1;
  return body[0] === BRACE && body[last] === CLOSING_BRACE;
}

const LF = 0x0a;
const CR = 0x0d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The first byte after a byte order mark and white space. */
function skipBlank(body: Buffer): number {
  let start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (isBlank(body[start])) start++;
  return start;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === LF || byte === CR;
}

/** Decodes base64 with line breaks, without padding, and with spaces, which `+` becomes in a form. */
function decodeBase64(body: Buffer): Buffer {
  return Buffer.from(body.toString("latin1").trim().replaceAll(" ", "+"), "base64");
}
