// quiet: loads the machine
import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { brotliCompressSync, constants, createZstdCompress, gzipSync, zstdCompressSync } from "node:zlib";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { bound, measuringTest, memoryOf, type Measured } from "../../support/measure/measured.ts";
import { until } from "../../support/run/until.ts";

/**
 * A stranger's kilobyte costs no megabytes: the memory of decoders is counted, and few of them work at the same time.
 */

const mebibyte = 1024 * 1024;
const atOnce = 200;
/** 20 to 150 of garbage and connections, in MiB; without counted decoders more than 1,000. */
const grownAtMost = 200;

const { server } = await runningServer();
const project = await createProject(server);

/** An envelope of 49 MiB that nobody keeps. */
const huge = (() => {
  const length = 49 * mebibyte;
  return Buffer.concat([Buffer.from(`{}\n{"type":"transaction","length":${length}}\n`), Buffer.alloc(length, "a")]);
})();
const brotli = (bits: number) => brotliCompressSync(huge, { params: { [constants.BROTLI_PARAM_LGWIN]: bits } });
const zstd = (bits: number) => zstdCompressSync(huge, { params: { [constants.ZSTD_c_windowLog]: bits } });

const bombs: [name: string, encoding: string, body: Buffer][] = [
  ["brotli with a window of 16 MiB", "br", brotli(24)],
  ["brotli with a window of 4 MiB", "br", brotli(22)],
  ["zstd with a window of 8 MiB", "zstd", zstd(23)],
  ["zstd with a window of 2 MiB", "zstd", zstd(21)],
  ["zstd that does not announce its size", "zstd", await zstdOfStream(huge)],
  ["gzip", "gzip", gzipSync(huge)],
];

/** As programs send it that compress while they write. */
function zstdOfStream(body: Buffer): Promise<Buffer> {
  const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 21 } });
  encoder.end(body);
  return buffer(encoder);
}

interface Sent {
  readonly status: Promise<number>;
  destroy(): void;
}

/** Sends an envelope. A stalled envelope never sends its last bytes. */
function post(
  body: Buffer,
  { encoding, key, stalls = false }: { encoding: string; key: boolean; stalls?: boolean },
): Sent {
  const query = key ? `?sentry_key=${project.key}` : "";
  const request = httpRequest(`${server.url}/api/${project.id}/envelope/${query}`, {
    method: "POST",
    agent: false,
    headers: { "content-encoding": encoding, "content-length": body.length + (stalls ? 1_000 : 0) },
  });
  const status = new Promise<number>((resolve) => {
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", () => resolve(0)); // reset behind an answer
  });
  if (stalls) request.write(body);
  else request.end(body);
  return { status, destroy: () => request.destroy() };
}

/** The growth of the service's memory during `work`, while another application reports an event each 20 ms. */
async function beside(work: () => Promise<void>): Promise<Measured> {
  const memory = memoryOf(server.pid);
  const attack = { isOver: false };
  const victim = (async () => {
    while (!attack.isOver) {
      const answer = await sendEvent(server, project, { event_id: newEventId(), message: "of another application" });
      assert.is(answer.status, 200, answer.text);
      memory.look();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  await work().finally(() => (attack.isOver = true));
  await victim;
  return memory.grown();
}

for (const key of [false, true]) {
  const who = key ? "with a key" : "without a key";
  for (const [name, encoding, body] of bombs) {
    measuringTest(`${atOnce} simultaneous bombs of ${name} ${who} are refused and cost little memory`, async () => {
      const statuses: number[] = [];
      const grown = await beside(async () => {
        const sent = Array.from({ length: atOnce }, () => post(body, { encoding, key }));
        statuses.push(...(await Promise.all(sent.map(({ status }) => status))));
      });
      assert.equal(
        statuses.filter((status) => ![401, 413, 415, 503].includes(status)),
        [],
      );
      bound(`memory for ${atOnce} bombs of ${name} ${who}`, grown, { atMost: grownAtMost });
    });
  }
}

measuringTest("clients that stall behind 130 kB of a compressed body make room for others", async () => {
  const noise = Buffer.from(Array.from({ length: 400_000 }, (_, at) => (at * 2_654_435_761) >>> 24));
  const body = brotliCompressSync(
    Buffer.concat([Buffer.from(`{}\n{"type":"transaction","length":${10 * mebibyte}}\n`), noise]),
    { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } },
  );
  const grown = await beside(async () => {
    const sent = Array.from({ length: atOnce }, () => post(body, { encoding: "br", key: true, stalls: true }));
    const refused: number[] = [];
    for (const { status } of sent) void status.then((code) => refused.push(code));
    await until("all but the last four are refused", () => refused.length >= atOnce - 4, { deadlineMs: 60_000 });
    assert.equal(
      refused.filter((status) => status !== 503 && status !== 408),
      [],
    );
    for (const { destroy } of sent) destroy();
  });
  bound("memory for clients that stall behind a compressed body", grown, { atMost: grownAtMost });
});

test("honest large bodies that come simultaneously wait for a decoder, and each is accepted", async () => {
  const noise = randomBytes(60_000).toString("hex");
  const body = brotliCompressSync(`{}\n{"type":"event"}\n${JSON.stringify({ message: "large", extra: { noise } })}\n`, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  assert.ok(body.length > 16 * 1024 && body.length < 128 * 1024, `${body.length} bytes are not decoded in a stream`);
  const sent = Array.from({ length: 30 }, () => post(body, { encoding: "br", key: true }));
  const statuses = await Promise.all(sent.map(({ status }) => status));
  assert.equal(
    statuses.filter((status) => status !== 200),
    [],
  );
});

test("large compressed events are taken afterwards", async () => {
  const event = JSON.stringify({ message: "large", extra: { text: "0123456789".repeat(50_000) } });
  const envelope = `{}\n{"type":"event"}\n${event}\n`;
  for (const [encoding, body] of [
    ["br", brotliCompressSync(envelope)],
    ["zstd", zstdCompressSync(envelope)],
    ["gzip", gzipSync(envelope, { level: 1 })],
  ] as const) {
    assert.is(await post(body, { encoding, key: true }).status, 200, encoding);
  }
});

test.run();
