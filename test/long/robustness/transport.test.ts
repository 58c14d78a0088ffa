import { constants, deflateRawSync, gzipSync, zstdCompressSync, brotliCompressSync, deflateSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { bytesOf, chunked, chunkedHeaders, headOf } from "../../support/http/raw-request.ts";
import { openSocket } from "../../support/http/raw-socket.ts";
import {
  assertNothingStored,
  onlyEvent,
  storedEvents,
  testCases,
  type Case,
  type Conversation,
} from "../../support/sentry/robustness.ts";
import { until } from "../../support/run/until.ts";

const body = '{"message":"carried"}';
const stored = { message: "carried" };
const gzipped = gzipSync(body);
const encoded = (encoding: string, bytes: Uint8Array | string) => () => ({
  headers: { "Content-Encoding": encoding },
  body: bytes,
});

/**
 * A brotli stream that begins with the two bytes of gzip, like one in 256 streams with the largest window, which takes
 * 16 MiB.
 */
const brotliLikeGzip = brotliCompressSync(`{"message":"carried","unknown":"${"ab c".repeat(100).slice(0, 362)}"}`, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24 },
});
assert.equal([...brotliLikeGzip.subarray(0, 2)], [0x1f, 0x8b]);

/** An envelope of a small event and so many bytes of blank lines behind it, which are nothing once compressed. */
const padded = (blankBytes: number) =>
  gzipSync(
    Buffer.concat([
      Buffer.from(`{}\n{"type":"event"}\n${body.replace("}", ` ${" ".repeat(100_000)}}`)}`),
      Buffer.alloc(blankBytes, "\n"),
    ]),
  );

/** RFC 8878, section 3.1.1.1: a frame that asks for a window of 2 GiB. */
const zstdWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 0x0b, 0, 0, 0x7b]);

/** The same with a window of 2 MiB and a Frame_Content_Size of 49 MiB, and nothing behind it. */
const zstdBomb = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x80, 11 << 3, 0, 0, 0x10, 3, 0, 0, 0, 0, 0, 0, 0]);

/** Cases 20 to 34: the encoding of a body. large.test.ts has the cases of large bodies. */
const cases: readonly Case[] = [
  {
    number: 20,
    claim: "a body in chunks needs neither Content-Length nor Content-Type",
    request: () => ({ headers: chunkedHeaders, body: chunked(body, 7) }),
    status: 200,
    stored,
  },
  { number: 21, claim: "an empty Content-Encoding is none", request: encoded("", body), status: 200, stored },
  { number: 22, claim: "GZIP is gzip", request: encoded("GZIP", gzipped), status: 200, stored },
  { number: 22, claim: "x-gzip is gzip", request: encoded("x-gzip", gzipped), status: 200, stored },
  {
    number: 23,
    claim: "deflate may have a zlib header",
    request: encoded("deflate", deflateSync(body)),
    status: 200,
    stored,
  },
  {
    number: 23,
    claim: "deflate may have none",
    request: encoded("deflate", deflateRawSync(body)),
    status: 200,
    stored,
  },
  { number: 24, claim: "br is understood", request: encoded("br", brotliCompressSync(body)), status: 200, stored },
  {
    number: 24,
    claim: "br that begins like gzip is read as what it is: its window is too large",
    request: encoded("br", brotliLikeGzip),
    status: 415,
  },
  {
    number: 26,
    claim: "an event before 900 kB of blank lines is stored",
    request: () => ({ door: "envelope", body: padded(900_000) }),
    status: 200,
    stored,
  },
  { number: 24, claim: "zstd is understood", request: encoded("zstd", zstdCompressSync(body)), status: 200, stored },
  { number: 24, claim: "an unknown encoding is refused", request: encoded("foo", body), status: 415 },
  { number: 25, claim: "plain JSON announced as gzip is refused", request: encoded("gzip", body), status: 400 },
  {
    number: 26,
    claim: "gzip that is not announced is understood",
    request: () => ({ body: gzipped }),
    status: 200,
    stored,
  },
  {
    number: 27,
    claim: "gzip that is cut off is refused",
    request: encoded("gzip", gzipped.subarray(0, -9)),
    status: 400,
  },
  {
    number: 29,
    claim: "two gzip members are one body",
    request: encoded("gzip", Buffer.concat([gzipSync(body.slice(0, 9)), gzipSync(body.slice(9))])),
    status: 200,
    stored,
  },
  {
    number: 29,
    claim: "a gzip member that is followed by an empty one is a body",
    request: encoded("gzip", Buffer.concat([gzipSync(body), gzipSync("")])),
    status: 200,
    stored,
  },
  {
    number: 30,
    claim: "a body that announces to be too large is refused before it comes",
    request: () => ({ headers: { "Content-Length": "1048577" }, body: "{" }),
    status: 413,
    answer: ({ closes }) => assert.ok(closes),
  },
  {
    number: 30,
    claim: "a body in chunks that gets too large is refused",
    request: () => ({ headers: chunkedHeaders, body: chunked(Buffer.alloc(1024 * 1024 + 1, " "), 65_536) }),
    status: 413,
  },
  { number: 32, claim: "an empty body is refused", request: () => ({ body: "" }), status: 400 },
  { number: 32, claim: "an empty gzip body is refused", request: encoded("gzip", gzipSync("")), status: 400 },
  {
    number: 34,
    claim: "HTTP/1.0 is answered",
    request: () => ({ version: "1.0", headers: { Connection: "close" }, body }),
    status: 200,
    stored,
    answer: ({ closes }) => assert.ok(closes),
  },
  {
    number: "A31",
    claim: "a brotli bomb is refused",
    request: encoded(
      "br",
      brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
    ),
    status: 413,
  },
  {
    number: "A32",
    claim: "zstd that asks for 2 GiB of memory is refused",
    request: encoded("zstd", zstdWindow),
    status: 415,
  },
  {
    number: "A32",
    claim: "zstd that announces 49 MiB in 17 bytes is refused as a bomb, before it is decoded",
    request: encoded("zstd", zstdBomb),
    status: 413,
  },
  { number: "A33", claim: "two encodings are refused", request: encoded("gzip, br", gzipped), status: 415 },
  {
    number: "A35",
    claim: "a wrong checksum is refused",
    request: encoded("gzip", withFlippedBit(gzipped, -8)),
    status: 400,
  },
  {
    number: "A37",
    claim: "a negative Content-Length is refused",
    request: () => ({ headers: { "Content-Length": "-1" }, body }),
    status: 400,
  },
  {
    number: "A37",
    claim: "two Content-Lengths are refused",
    request: () => ({ headers: { "content-length": "5" }, body }),
    status: 400,
    answer: ({ closes }) => assert.ok(closes),
  },
  {
    number: "A37",
    claim: "Content-Length beside chunks is refused",
    request: () => ({ headers: { "Transfer-Encoding": "chunked" }, body: chunked(body, 9) }),
    status: 400,
    answer: ({ closes }) => assert.ok(closes),
  },
  {
    number: "A38",
    claim: "chunks of one byte are taken",
    request: () => ({ headers: chunkedHeaders, body: chunked(`${body}${" ".repeat(20_000)}`, 1) }),
    status: 200,
    stored,
  },
  {
    number: "A38",
    claim: "a chunk extension of 1 MB is refused",
    request: () => ({ headers: chunkedHeaders, body: `1;${"x".repeat(1_000_000)}\r\n{\r\n0\r\n\r\n` }),
    status: 413,
  },
  {
    number: "A38",
    claim: "a header of 100 kB is refused",
    request: () => ({ headers: { "X-Long": "x".repeat(100_000) }, body }),
    status: 431,
  },
];

const conversations: readonly Conversation[] = [
  {
    number: 31,
    claim: "a client that goes away in the middle of its body stores nothing and is no error",
    async hold({ server, client, project }) {
      const printed = server.output().length;
      for (const headers of [{ "Content-Length": "900" }, chunkedHeaders])
        for (const leave of ["end", "destroy"] as const) {
          const socket = await openSocket(server);
          socket.write(headOf(project, { headers }));
          socket.write(headers === chunkedHeaders ? `15\r\n${body}\r\n` : body);
          socket[leave]();
          if (leave === "end") assert.is((await socket.answer())?.status ?? 400, 400);
        }
      await assertNothingStored(client, project);
      assert.is(server.output().slice(printed), "");
    },
  },
  {
    number: 33,
    claim: "Expect: 100-continue is answered before the body",
    async hold({ server, client, project }) {
      const socket = await openSocket(server);
      socket.write(headOf(project, { headers: { Expect: "100-continue" }, body }));
      assert.is((await socket.answer())?.status, 100);
      socket.write(body);
      assert.is((await socket.answer())?.status, 200);
      socket.destroy();
      await onlyEvent(client, project);
    },
  },
  {
    number: 34,
    claim: "a connection goes on after a refusal",
    async hold({ server, client, project }) {
      const socket = await openSocket(server);
      const refused = [
        { body: "{" },
        { body: "[]" },
        { headers: { "Content-Encoding": "foo" }, body },
        { method: "PUT", body },
      ];
      const unsigned = { headers: { "X-Sentry-Auth": null }, body };
      for (const request of [...refused, unsigned]) {
        socket.write(bytesOf(project, request));
        const status = (await socket.answer())?.status ?? 0;
        assert.ok(status >= 400 && status < 500, `${status}`);
        socket.write(bytesOf(project, { body }));
        assert.is((await socket.answer())?.status, 200);
      }
      socket.destroy();
      assert.is((await storedEvents(client, project)).length, refused.length + 1);
    },
  },
  {
    number: "A37",
    claim: "what follows a body that is longer than it says is no request",
    async hold({ server, client, project }) {
      const socket = await openSocket(server);
      socket.write(bytesOf(project, { headers: { "Content-Length": `${body.length}` }, body: `${body}${body}` }));
      const statuses: number[] = [];
      for (let answer = await socket.answer(); answer; answer = await socket.answer()) statuses.push(answer.status);
      assert.is(statuses.at(-1), 400);
      assert.ok((await storedEvents(client, project)).length <= 1);
    },
  },
  {
    number: "A39",
    claim: "a head that never ends is cut off within 15 seconds",
    async hold({ server, project }) {
      const socket = await openSocket(server);
      socket.write(headOf(project, { body }).slice(0, -4));
      const status = await until("the end of the connection", () => answered(socket.answer()), { deadlineMs: 15_000 });
      assert.is(status, 408);
    },
  },
];

/** The status; undefined while there is none. */
async function answered(
  answer: ReturnType<Awaited<ReturnType<typeof openSocket>>["answer"]>,
): Promise<number | undefined> {
  return answer.then(
    (found) => found?.status,
    () => undefined,
  );
}

function withFlippedBit(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  const index = bytes.length + at;
  flipped[index] = (bytes[index] ?? 0) ^ 1;
  return flipped;
}

testCases(cases, conversations);
test.run();
