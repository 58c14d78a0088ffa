import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { bytesOf, headOf } from "../../support/http/raw-request.ts";
import { readAnswer } from "../../support/http/raw-answer.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { Answers, flood } from "../flood.ts";

const mebibyte = 1024 * 1024;
const atOnce = 200;
const bombBytes = 49 * mebibyte;

const brotli = (bits: number) => (body: Buffer) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_LGWIN]: bits, [constants.BROTLI_PARAM_QUALITY]: 5 } });
const zstd = (bits: number) => (body: Buffer) =>
  zstdCompressSync(body, { params: { [constants.ZSTD_c_windowLog]: bits } });

/** The worst case of each decoder; larger windows are refused. */
const encodings = [
  { name: "gzip", header: "gzip", encode: (body: Buffer) => gzipSync(body) },
  { name: "deflate", header: "deflate", encode: (body: Buffer) => deflateSync(body) },
  { name: "brotli, window of 16 MiB", header: "br", encode: brotli(24) },
  { name: "brotli, window of 4 MiB", header: "br", encode: brotli(22) },
  { name: "zstd, window of 8 MiB", header: "zstd", encode: zstd(23) },
  { name: "zstd, window of 2 MiB", header: "zstd", encode: zstd(21) },
] as const;

/** 200 connections, each of which sends a bomb a second, every second one without a key. */
const bombs: readonly Attack[] = encodings.map(({ name, header, encode }) => ({
  name: `C1 ${atOnce} bombs at once: ${name}`,
  arm(field) {
    const start = Buffer.from(`{}\n{"type":"transaction","length":${bombBytes}}\n`);
    const body = encode(Buffer.concat([start, Buffer.alloc(bombBytes, "a")]));
    const headers = { "Content-Encoding": header };
    const request = { door: "envelope", headers, body } as const;
    const requests = [
      bytesOf(field.project, request),
      bytesOf(field.project, { ...request, headers: { ...headers, "X-Sentry-Auth": null } }),
    ] as const;
    return () => flood(field, { connections: atOnce, everyMs: 1_000, next: (n) => requests[n % 2] ?? requests[0] });
  },
}));

const stalled: Attack = {
  name: `C1 ${atOnce} bodies of all encodings that stall behind 130 kB`,
  arm(field) {
    const start = Buffer.from(`{}\n{"type":"transaction","length":${10 * mebibyte}}\n`);
    const bodies = encodings.map(({ header, encode }) => ({
      header,
      body: encode(Buffer.concat([start, randomBytes(140_000)])),
    }));
    const heads = bodies.map(({ header, body }) => {
      const headers = { "Content-Encoding": header, "Content-Length": `${body.length + 1_000}` };
      return Buffer.concat([Buffer.from(headOf(field.project, { door: "envelope", headers })), body]);
    });
    return () => stall(field, heads);
  },
};

/**
 * Keeps this number of connections open that send these bytes and no more. A refused connection returns a second later.
 */
async function stall({ url, seconds }: Field, requests: readonly Buffer[]): Promise<Tally> {
  const answers = new Answers();
  const { hostname, port } = new URL(url);
  const over = AbortSignal.timeout(seconds * 1000);
  const lane = async (_: unknown, n: number) => {
    while (!over.aborted) {
      const socket = connect({ host: hostname, port: Number(port) });
      const isOver = once(over, "abort");
      socket.on("error", () => undefined); // refused bodies may end in a reset; `close` follows
      socket.on("data", (bytes) => answers.add(readAnswer(Buffer.from(bytes))?.status ?? "part of an answer"));
      socket.write(requests[n % requests.length] ?? "");
      await Promise.race([once(socket, "close"), isOver]);
      socket.destroy();
      await Promise.race([delay(1_000), isOver]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return answers.tally();
}

/** The cost of requests that nobody has to be known for. */
const keyless: Attack = {
  name: "M5 bombs without a key, and items that take no tokens, as many as 32 connections send",
  arm(field) {
    const start = Buffer.from(`{}\n{"type":"transaction","length":${bombBytes}}\n`);
    const bomb = Buffer.concat([start, Buffer.alloc(bombBytes, "a")]);
    const withoutKey = [encodings[0], encodings[3]].map(({ header, encode }) =>
      bytesOf(field.project, {
        door: "envelope",
        headers: { "Content-Encoding": header, "X-Sentry-Auth": null },
        body: encode(bomb),
      }),
    );
    const items = `{}\n${'{"type":"client_report"}\n{"discarded_events":[]}\n{"type":"x"}\n{}\n'.repeat(100)}`;
    const requests = [...withoutKey, bytesOf(field.project, { door: "envelope", body: items })];
    return () =>
      flood(field, { connections: 32, everyMs: 50, next: (n) => requests[n % requests.length] ?? Buffer.of() });
  },
};

export const decoders: readonly Attack[] = [...bombs, stalled, keyless];
