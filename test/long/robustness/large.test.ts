// quiet: loads the machine
import { randomBytes } from "node:crypto";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  type ZlibOptions,
} from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { http } from "../../support/http/http.ts";
import { bytesOf, chunked, chunkedHeaders, headOf } from "../../support/http/raw-request.ts";
import { openSocket } from "../../support/http/raw-socket.ts";
import { createProject } from "../../support/core/project.ts";
import {
  ask,
  assertNothingStored,
  onlyEvent,
  testCases,
  type Case,
  type Conversation,
} from "../../support/sentry/robustness.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { Measured, bound, memoryAtRest, memoryOf, stopwatch } from "../../support/measure/measured.ts";

const mebibyte = 1024 * 1024;
const event = '{"message":"carried"}';
const stored = { message: "carried" };

/** An envelope with `payload` as an attachment in front of an event. */
const withAttachment = (payload: Uint8Array, behind: string | Uint8Array = `{"type":"event"}\n${event}\n`) =>
  Buffer.concat([
    Buffer.from(`{}\n{"type":"client_report"}\n{}\n{"type":"attachment","length":${payload.length}}\n`),
    payload,
    Buffer.from(`\n`),
    Buffer.from(behind),
  ]);

const large = withAttachment(randomBytes(3 * mebibyte));
const fast: ZlibOptions = { level: 1 };
const gzipped = gzipSync(large, fast);
const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const half = large.length / 2;

const encodings: readonly [claim: string, encoding: string, body: Buffer][] = [
  ["plain", "", large],
  ["gzip", "gzip", gzipped],
  ["gzip that is not announced", "", gzipped],
  [
    "gzip of two members",
    "gzip",
    Buffer.concat([gzipSync(large.subarray(0, half), fast), gzipSync(large.subarray(half), fast)]),
  ],
  ["deflate with a zlib header", "deflate", deflateSync(large, fast)],
  ["bare deflate", "deflate", deflateRawSync(large, fast)],
  ["br", "br", brotliCompressSync(large, fastBrotli)],
  ["zstd", "zstd", zstdCompressSync(large)],
];

const envelopeCase = (
  rest: Pick<Case, "number" | "claim" | "status" | "stored" | "answer">,
  body: string | Uint8Array,
  headers: Record<string, string | null> = {},
): Case => ({ ...rest, request: () => ({ door: "envelope", headers, body }) });

/** A gzip stream of an envelope with an attachment of 1 GiB of zeros. It is a thousandth of that size. */
function gzipBomb(): Buffer {
  const deflated = (bytes: string | Buffer) => deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const megabyte = deflated(Buffer.alloc(mebibyte));
  const head = deflated(`{}\n{"type":"attachment","length":${1024 * mebibyte}}\n`);
  return Buffer.concat([gzipSync("").subarray(0, 10), head, ...Array.from({ length: 1024 }, () => megabyte)]);
}

/** Bodies larger than the service reads at a time: envelopes with attachments, and false ones. */
const cases: readonly Case[] = [
  ...encodings.map(([claim, encoding, body]) =>
    envelopeCase({ number: 38, claim: `an event behind 3 MiB is stored: ${claim}`, status: 200, stored }, body, {
      "Content-Encoding": encoding,
    }),
  ),
  ...encodings.map(([claim, encoding, body]) =>
    envelopeCase(
      { number: 27, claim: `3 MiB and an event that are cut off store nothing: ${claim}`, status: 400 },
      body.subarray(0, body.length - 9),
      { "Content-Encoding": encoding },
    ),
  ),
  envelopeCase(
    { number: 20, claim: "3 MiB in chunks are taken", status: 200, stored },
    chunked(large, 10_000),
    chunkedHeaders,
  ),
  envelopeCase(
    { number: "A38", claim: "200,000 chunks of one byte are taken", status: 200, stored },
    chunked(withAttachment(Buffer.alloc(200_000)), 1),
    chunkedHeaders,
  ),
  envelopeCase(
    {
      number: 28,
      claim: "1 MB that becomes 1 GB is refused, and the connection ends",
      status: 413,
      answer: ({ closes }) => assert.ok(closes),
    },
    gzipBomb(),
    { "Content-Encoding": "gzip" },
  ),
  envelopeCase(
    { number: "A31", claim: "an envelope that br makes a thousand times larger is refused", status: 413 },
    brotliCompressSync(withAttachment(Buffer.alloc(60 * mebibyte)), fastBrotli),
    { "Content-Encoding": "br" },
  ),
  envelopeCase(
    { number: 26, claim: "an event before 40 MiB of blank lines is refused by their expansion", status: 413 },
    gzipSync(Buffer.concat([Buffer.from(`{}\n{"type":"event"}\n${event}`), Buffer.alloc(40 * mebibyte, "\n")]), fast),
  ),
  envelopeCase(
    {
      number: 30,
      claim: "21 MiB are refused before they come",
      status: 413,
      answer: ({ closes }) => assert.ok(closes),
    },
    "{}",
    { "Content-Length": `${21 * mebibyte}` },
  ),
  envelopeCase(
    { number: 30, claim: "21 MiB in chunks are refused", status: 413 },
    chunked(withAttachment(Buffer.alloc(21 * mebibyte)), mebibyte),
    chunkedHeaders,
  ),
  envelopeCase(
    { number: 40, claim: "3 MiB with a length that is one too small are refused", status: 400 },
    withAttachment(Buffer.alloc(3 * mebibyte), `\n{"type":"event"}\n${event}`),
  ),
  envelopeCase(
    {
      number: 44,
      claim: "an unknown item of 3 MiB without length does not hide the event behind it",
      status: 200,
      stored,
    },
    `{}\n{"type":"foo"}\n${"x".repeat(3 * mebibyte)}\n{"type":"event"}\n${event}`,
  ),
  envelopeCase(
    { number: 47, claim: "a bad header behind 3 MiB stores nothing of what is before", status: 400 },
    Buffer.concat([large, Buffer.from("nope\n")]),
  ),
  envelopeCase(
    { number: 95, claim: "an event of 1 MiB behind 3 MiB is stored", status: 200, stored: {} },
    withAttachment(Buffer.alloc(3 * mebibyte), `{"type":"event"}\n${eventOf(mebibyte)}`),
  ),
  envelopeCase(
    { number: 95, claim: "an event of 1 MiB and one byte is refused", status: 413 },
    `{}\n{"type":"event"}\n${eventOf(mebibyte + 1)}`,
  ),
  envelopeCase(
    { number: 95, claim: "an event of 1 MiB and one byte behind 3 MiB is refused", status: 413 },
    withAttachment(Buffer.alloc(3 * mebibyte), `{"type":"event"}\n${eventOf(mebibyte + 1)}`),
  ),
];

function eventOf(bytes: number): string {
  const json = JSON.stringify({ message: "carried", unknown: "" });
  return json.replace('""', `"${"x".repeat(bytes - json.length)}"`);
}

/** The longest that others waited, and how far the service grew, while a request is being answered. */
async function watch(server: Server, asked: ReturnType<typeof ask>) {
  const state = { isAnswered: false };
  const answered = asked.finally(() => (state.isAnswered = true));
  const memory = memoryOf(server.pid);
  const waits: Measured[] = [];
  while (!state.isAnswered) {
    const waited = stopwatch();
    assert.is((await http(`${server.url}/-/health`)).status, 200);
    waits.push(waited());
    memory.look();
  }
  return { answer: await answered, latency: Measured.most(waits), growth: memory.grown() };
}

/**
 * A brotli stream of `count` meta-blocks of 83 bytes (RFC 7932, section 9.2), each of one letter, 256 block types and a
 * context map of 16,384 entries to be moved to front.
 */
function brotliTables(count: number): Buffer {
  const before = Buffer.from("0000f0ff0010", "hex");
  const behind = Buffer.from("80d8e1004081177881400006", "hex");
  const block = Buffer.concat([before, Buffer.alloc(65), behind]);
  return Buffer.concat([Buffer.from([0x0c]), ...Array.from({ length: count }, () => block), Buffer.from([3])]);
}

const conversations: readonly Conversation[] = [
  {
    number: 38,
    claim: "while 15 MiB come, the service grows by less than 30 MiB and answers others",
    async hold() {
      const body = gzipSync(withAttachment(randomBytes(15 * mebibyte)), fast);
      // The one of the other cases has room already, and would show nothing; the garbage of the start would hide it.
      const server = await startServer({ isCollected: true });
      const project = await createProject(server);
      assert.is((await ask(server, project, { door: "envelope", body: gzipSync("{}") }))?.status, 200);
      await memoryAtRest(server.pid);
      const { answer, growth, latency } = await watch(server, ask(server, project, { door: "envelope", body }));
      await server.stop();
      assert.is(answer?.status, 200);
      bound("others wait while 15 MiB come", latency, { atMost: 200 });
      bound("memory while 15 MiB come", growth, { atMost: 30 });
    },
  },
  ...(["store", "envelope"] as const).map((door): Conversation => ({
    number: "A31",
    claim: `1 MB of brotli that keeps its decoder busy for a second holds up nobody else: ${door}`,
    async hold({ server, project }) {
      const request = { door, headers: { "Content-Encoding": "br" }, body: brotliTables(12_000) };
      const { answer, latency } = await watch(server, ask(server, project, request));
      assert.is(answer?.status, 400);
      bound(`others wait while a decoder is busy: ${door}`, latency, { atMost: 200 });
    },
  })),
  {
    number: 31,
    claim: "a client that goes away in the middle of 3 MiB stores nothing and is no error",
    async hold({ server, client, project }) {
      const printed = server.output().length;
      for (const body of [large, gzipped])
        for (const leave of ["end", "destroy"] as const) {
          const socket = await openSocket(server);
          socket.write(headOf(project, { door: "envelope", body }));
          socket.write(body.subarray(0, 2 * mebibyte));
          assert.is((await http(`${server.url}/-/health`)).status, 200); // by now it reads the body
          socket[leave]();
          if (leave === "end") assert.is((await socket.answer())?.status ?? 400, 400);
        }
      await assertNothingStored(client, project);
      assert.is(server.output().slice(printed), "");
    },
  },
  {
    number: 34,
    claim: "a connection goes on after 3 MiB that are refused",
    async hold({ server, client, project }) {
      const socket = await openSocket(server);
      for (const [body, encoding] of [
        [Buffer.alloc(3 * mebibyte, "x"), ""],
        [Buffer.alloc(3 * mebibyte, "x"), "gzip"],
        [large, "foo"],
      ] as const) {
        socket.write(bytesOf(project, { door: "envelope", headers: { "Content-Encoding": encoding }, body }));
        const status = (await socket.answer())?.status ?? 0;
        assert.ok(status === 400 || status === 415, `${status}`);
      }
      socket.write(bytesOf(project, { door: "envelope", body: large }));
      assert.is((await socket.answer())?.status, 200);
      socket.destroy();
      await onlyEvent(client, project);
    },
  },
];

testCases(cases, conversations);
test.run();
