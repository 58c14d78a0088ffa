import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";
import { rest } from "../../support/rest/rest.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { Answers, flood } from "../flood.ts";

const host = "host: attacked.example";

/** Connections that send something, and then neither send more nor read an answer until the time has passed. */
async function hold({ url, seconds }: Field, count: number, bytes: Buffer): Promise<Tally> {
  const answers = new Answers();
  const { hostname, port } = new URL(url);
  const sockets = [];
  const endsAt = performance.now() + seconds * 1000;
  for (let opened = 0; opened < count && performance.now() < endsAt; opened++) {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.on("error", () => undefined).on("close", () => answers.add("cut"));
    socket.pause();
    socket.write(bytes);
    if (opened % 20 === 19) await delay(20);
  }
  await delay(Math.max(0, endsAt - performance.now()));
  const tally = answers.tally();
  for (const socket of sockets) socket.destroy();
  return tally;
}

/** A request with a body shorter than announced. */
function stalled(line: string, headers: readonly string[], sent: Buffer, announced = sent.length + 1_000): Buffer {
  return Buffer.concat([
    Buffer.from([line, host, ...headers, `content-length: ${announced}`, "", ""].join("\r\n")),
    sent,
  ]);
}

const form = "content-type: application/x-www-form-urlencoded";
const bearer = ({ token }: Field) => `authorization: Bearer ${token}`;

/** Calls with a whole message that never end, on three connections. */
async function unended(field: Field, path: string, inflated: Buffer, count: number): Promise<Tally> {
  const answers = new Answers();
  const body = gzipSync(inflated, { level: 9 });
  const head = Buffer.from([1, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 1);
  const message = Buffer.concat([head, body]);
  const endsAt = performance.now() + field.seconds * 1000;
  const sessions: ClientHttp2Session[] = [];
  for (let n = 0; n < 3; n++) {
    const session = connectHttp2(`http://${field.grpcAddress}`);
    session.on("error", () => undefined);
    sessions.push(session);
  }
  for (let n = 0; n < count; n++) {
    const stream = sessions[n % 3]?.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      "grpc-encoding": "gzip",
      te: "trailers",
      authorization: `Bearer ${field.token}`,
    });
    stream?.on("error", () => undefined).on("close", () => answers.add("ended"));
    stream?.resume();
    stream?.write(message);
  }
  await delay(Math.max(0, endsAt - performance.now()));
  const tally = answers.tally();
  for (const session of sessions) session.destroy();
  return tally;
}

/** A text field of a message. */
function textField(number: number, text: Buffer): Buffer {
  const length: number[] = [];
  for (let left = text.length; ; left >>>= 7) {
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), text]);
}

/** Stores large events of one error of the attacker's project; the id of the error. */
async function largeEvents(field: Field): Promise<string> {
  const text = "x".repeat(900);
  for (let n = 0; n < 20; n++) {
    const extra = Object.fromEntries(Array.from({ length: 400 }, (_, key) => [`key ${key}`, text]));
    await sendStore(field, field.project, { event_id: newEventId(), message: "large", extra });
  }
  let id = "";
  await until("they are stored", async () => {
    const list = await rest(field, `GET /projects/${field.project.id}/error_tracking/errors`, { token: field.token });
    const [error] = list.json as { id?: string; count?: string | number }[]; // the shape is what rest.test.ts asserts
    id = error?.id ?? "";
    return Number(error?.count) === 20;
  });
  return id;
}

const upload = (path: string, bodyBytes: number, field: Field) =>
  stalled(
    `POST ${path} HTTP/1.1`,
    [bearer(field), "content-type: multipart/form-data; boundary=b"],
    Buffer.alloc(bodyBytes, "x"),
  );

/** Whole requests, one after the other. */
const whole = (line: string, headers: readonly string[], body = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.from([line, host, ...headers, `content-length: ${body.length}`, "", ""].join("\r\n")), body]);

/** Attacks without a key, or with a token of another project, on entry points other than ingestion. */
export const doors: readonly Attack[] = [
  {
    name: "1,925 sign-in forms of 500 kB that stall",
    arm: (field) => {
      const bytes = stalled("POST /-/sign_in HTTP/1.1", [form], Buffer.alloc(499_000, "a"));
      return () => hold(field, 1_925, bytes);
    },
  },
  {
    name: "1,925 sign-in forms of 8 kB that stall",
    arm: (field) => {
      const bytes = stalled("POST /-/sign_in HTTP/1.1", [form], Buffer.alloc(7_000, "a"));
      return () => hold(field, 1_925, bytes);
    },
  },
  {
    name: "100 gRPC calls of 16 MiB, 16 kB in gzip, that never end",
    arm: (field) => () =>
      unended(field, "/faultline.v1.IngestService/ReportEvents", textField(2_047, Buffer.alloc(16_000_000)), 100),
  },
  {
    name: "300 gRPC calls of 4 MiB, 4 kB in gzip, that never end",
    arm: (field) => () =>
      unended(field, "/faultline.v1.ErrorService/ListErrors", textField(2, Buffer.alloc(4_000_000, "x")), 300),
  },
  {
    name: "80 pages of whole events that nobody reads",
    async arm(field) {
      const id = await largeEvents(field);
      const bytes = whole(`GET /api/0/issues/${id}/events/?full=1 HTTP/1.1`, [bearer(field)]);
      return () => hold(field, 80, bytes);
    },
  },
  {
    name: "400 connections with 20 pages of documentation each that nobody reads",
    arm: (field) => {
      const bytes = Buffer.concat(Array.from({ length: 20 }, () => whole("GET /api/v4/docs HTTP/1.1", [])));
      return () => hold(field, 400, bytes);
    },
  },
  {
    name: "70 uploads of 16 MiB of mappings that stall",
    arm: (field) => {
      const bytes = upload("/api/0/projects/a/b/files/dsyms/", 16_000_000, field);
      return () => hold(field, 70, bytes);
    },
  },
  {
    name: "500 release records of 2 MiB that stall",
    arm: (field) => {
      const bytes = upload("/api/0/organizations/a/releases/", 2_000_000, field);
      return () => hold(field, 500, bytes);
    },
  },
  {
    name: "sign-in forms of 250,000 fields, 5 a second",
    arm: (field) => {
      const bytes = whole(
        "POST /-/sign_in HTTP/1.1",
        [form, `origin: ${field.url}`],
        Buffer.from("a&".repeat(249_000)),
      );
      return () => flood(field, { connections: 5, everyMs: 1_000, next: () => bytes });
    },
  },
  {
    name: "300 pages of documentation a second, by changing names",
    arm: (field) => () =>
      flood(field, {
        connections: 30,
        everyMs: 100,
        next: (n) => Buffer.from(`GET /api/v4/docs HTTP/1.1\r\nhost: h${n}.example\r\n\r\n`),
      }),
  },
  {
    name: "release records of 2 MiB of empty objects, from 8 connections",
    arm: (field) => {
      const body = Buffer.from(`{"version":"x","a":[${"{},".repeat(650_000)}{}]}`);
      const bytes = whole(
        "POST /api/0/organizations/a/releases/ HTTP/1.1",
        [bearer(field), "content-type: application/json"],
        body,
      );
      return () => flood(field, { connections: 8, next: () => bytes });
    },
  },
];
