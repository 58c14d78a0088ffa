import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { readClientKey, readDsn } from "../../plugins/http-bridge/src/ingest/authentication.ts";
import {
  contentDecoder,
  decodeContent,
  encodingOf,
} from "../../plugins/http-bridge/src/ingest/body/decoding/content-encoding.ts";
import { EnvelopeReader, parseEnvelope, type Envelope } from "../../plugins/http-bridge/src/ingest/body/envelope.ts";
import { parseEventJson } from "../../plugins/http-bridge/src/ingest/body/event-json.ts";
import { holdsEnvelope, readStoreBody } from "../../plugins/http-bridge/src/ingest/body/store-body.ts";
import { IngestRefusal } from "../../plugins/http-bridge/src/ingest/refusal.ts";
import type { Claim } from "./claim.ts";
import { damagedBody } from "./damage.ts";
import { bareDeflate, encoders, plain } from "./encoders.ts";
import { envelopeShape } from "./envelope-shape.ts";
import { hostileObject, text } from "./hostile-event.ts";
import { writeEnvelope } from "./write-envelope.ts";
import type { Names } from "./write-item.ts";

const names: Names = {
  id: "a".repeat(32),
  ownId: "b".repeat(32),
  sid: (index) => `${index}`.repeat(32),
  dsn: "http://k@h/1",
  release: "r",
  now: 1_795_215_516_000,
};
const envelopeBody = fc.oneof(
  envelopeShape.map((shape) => writeEnvelope(shape, names).body),
  damagedBody,
);
const cuts = fc.array(fc.nat({ max: 2_000 }), { maxLength: 6 });

const maxBytes = 64 * 1024;
const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const encoder = fc.constantFrom(plain, bareDeflate, ...encoders);
const encoding = fc.oneof(
  encoder.map(({ name }) => name),
  text,
);

/** The claims on every body, whole or damaged: it is read, or refused in words, and nothing else is thrown. */
export const bodyClaims: readonly Claim[] = [
  {
    claim: "an envelope in pieces is the envelope as a whole",
    property: fc.property(envelopeBody, cuts, (body, places) => {
      assert.equal(
        outcomeOf(() => inPieces(body, places)),
        outcomeOf(() => parseEnvelope(body)),
      );
    }),
  },
  {
    claim: "what was encoded is decoded, and never to more than is allowed",
    property: fc.property(fc.oneof(anyBytes, damagedBody), encoder, (body, { name, encode }) => {
      const encoded = encode(body);
      if (isAmbiguous(encoded, name)) return;
      const decoded = refusable(() => decodeContent(encoded, name, maxBytes));
      if (decoded) assert.ok(decoded.equals(body));
      else assert.ok(body.length > maxBytes);
    }),
  },
  {
    claim: "any bytes of any encoding are decoded or refused",
    property: fc.property(fc.oneof(anyBytes, damagedBody), encoding, (body, name) => {
      const decoded = refusable(() => decodeContent(body, name, maxBytes));
      if (decoded) assert.ok(decoded.length <= maxBytes);
    }),
  },
  {
    claim: "what is decoded in pieces is decoded, or refused, as it is as a whole",
    property: fc.asyncProperty(damagedBody, encoder, cuts, async (body, { name }, places) => {
      const decoded = await inStream(body, name, places);
      assert.equal(
        decoded,
        refusable(() => decodeContent(body, name, 64 * 1024 * 1024)),
      );
    }),
  },
  {
    claim: "any bytes are an event's JSON or refused, and what is stored of them parses to the same",
    property: fc.property(fc.oneof(damagedBody, hostileObject.map(jsonBytes)), (body) => {
      const read = refusable(() => parseEventJson(body));
      if (read) assert.equal(JSON.parse(read.payload.toString()), read.event);
    }),
  },
  {
    claim: "any bytes are a store body or refused",
    property: fc.property(fc.oneof(anyBytes, damagedBody), text, (body, type) => {
      holdsEnvelope(body, `application/x-sentry-envelope${type}`);
      refusable(() => readStoreBody(Buffer.from(body.toString("base64")), maxBytes));
      refusable(() => readStoreBody(body, maxBytes));
    }),
  },
  {
    claim: "any headers and query name a key or none",
    property: fc.property(
      fc.array(text, { minLength: 6, maxLength: 6 }),
      ([a = "", b = "", c = "", d = "", e = ""]) => {
        readClientKey(new URLSearchParams({ sentry_key: a, b }), { "x-sentry-auth": `Sentry ${c}`, authorization: d });
        readClientKey(new URLSearchParams(e), {
          authorization: `Basic ${a}`,
          "x-sentry-auth": `Sentry sentry_key=${b}`,
        });
        readDsn(`http://${a}@${b}/${c}`);
        readDsn(d);
      },
    ),
  },
];

function inPieces(body: Buffer, places: readonly number[]): Envelope {
  const reader = new EnvelopeReader();
  for (const piece of piecesOf(body, places)) reader.push(piece);
  return reader.end();
}

/** The output of a decoder for the pieces; undefined when it fails. */
async function inStream(body: Buffer, name: string, places: readonly number[]): Promise<Buffer | undefined> {
  const [start = body, ...rest] = piecesOf(
    body,
    places.filter((place) => place > 1),
  ); // two bytes identify gzip
  const decoder = contentDecoder(start, encodingOf(start, name));
  for (const piece of [start, ...rest]) decoder.write(piece);
  decoder.end();
  const decoded: Buffer[] = [];
  try {
    for await (const chunk of decoder) decoded.push(chunk);
    return Buffer.concat(decoded);
  } catch {
    return undefined; // each of its errors means that the body is corrupt
  }
}

function piecesOf(body: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.filter((place) => place < body.length).toSorted((a, b) => a - b), body.length];
  return ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
}

/** The result of a reader, or its refusal. */
function outcomeOf(read: () => Envelope): unknown {
  try {
    const { header, items } = read();
    return { header, items: items.map((item) => ({ ...item, payload: item.payload?.toString("latin1") })) };
  } catch (error) {
    assert.instance(error, IngestRefusal);
    return (error as IngestRefusal).message;
  }
}

/** Undefined when it is refused; any other error is a fault. */
function refusable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof IngestRefusal) return undefined;
    throw error;
  }
}

/** Whether plain bytes look like gzip, or bare deflate like zlib: no receiver can know. */
function isAmbiguous([first = 0, second = 0]: Buffer, name: string): boolean {
  const looksLikeZlib = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  return name === "" ? first === 0x1f && second === 0x8b : name === "deflate" && looksLikeZlib;
}

function jsonBytes(object: object): Buffer {
  return Buffer.from(JSON.stringify(object));
}
