import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../../backend/src/config.ts";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { rootToken } from "../../support/service/server.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { bound, measuringTest, memoryOf } from "../../support/measure/measured.ts";
import { until } from "../../support/run/until.ts";

/** Strangers at the door of gRPC; its limits of messages, deadlines and reflection are in test/flow/instance. */

const { server, client } = await runningServer();
const project = await createProject(server);
const megabyte = 1024 * 1024;
const answers = async () => assert.ok((await client.instance.getInstance({}, client.auth)).instance);
const headers = (token: string, method = "ErrorService/WatchErrors") => ({
  ":method": "POST",
  ":path": `/faultline.v1.${method}`,
  "content-type": "application/grpc",
  te: "trailers",
  authorization: `Bearer ${token}`,
});

test("A101: by default every listener is of this machine alone", () => {
  const { http, grpcAddress } = readConfig({});
  assert.equal([http.host, grpcAddress], ["127.0.0.1", "127.0.0.1:50051"]);
  const inodes = new Set(
    readdirSync(`/proc/${server.pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${server.pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  const listening = "0A";
  const listeners = ["tcp", "tcp6", "udp", "udp6"].flatMap((kind) =>
    readFileSync(`/proc/${server.pid}/net/${kind}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((parts) => inodes.has(parts[9] ?? "") && (parts[3] === listening || kind.startsWith("udp")))
      .map(([, address]) => `${kind} ${address?.split(":")[0]}`),
  );
  assert.ok(listeners.length >= 2, "not even HTTP and gRPC were found");
  assert.equal([...new Set(listeners)], ["tcp 0100007F"]); // 127.0.0.1 as the kernel writes it
});

test("A101: a stranger on this machine gets no answer without a token", async () => {
  const connection = connectHttp2(`http://${server.grpcAddress}`);
  const status = await new Promise<unknown>((resolve, reject) => {
    const { authorization: _, ...anonymous } = headers("", "ProjectService/ListProjects");
    const stream = connection.request(anonymous);
    const look = (got: Record<string, unknown>) => got["grpc-status"] !== undefined && resolve(got["grpc-status"]);
    stream.on("response", look).on("trailers", look).on("error", reject);
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
  connection.close();
  assert.is(status, "16");
});

measuringTest(
  "A104: streams that are begun and reset immediately do not fill the memory, and others are served",
  async () => {
    const memory = memoryOf(server.pid);
    for (let connections = 0; connections < 5; connections++) {
      const connection = connectHttp2(`http://${server.grpcAddress}`);
      connection.on("error", () => undefined); // the service may end it
      for (let n = 0; n < 2_000 && !connection.destroyed; n++) {
        const stream = connection.request(headers(rootToken));
        stream.on("error", () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await answers();
      connection.destroy();
    }
    await answers();
    bound("memory for 10,000 streams that are reset", memory.grown(), { atMost: 200 });
  },
);

test("A104: of many streams that stay open on one connection 100 run, and other connections are served", async () => {
  const connection = connectHttp2(`http://${server.grpcAddress}`);
  connection.on("error", () => undefined);
  await new Promise((resolve) => connection.once("remoteSettings", resolve));
  const request = Buffer.from([0, 0, 0, 0, 2, 0x08, project.id]); // WatchErrorsRequest {project_id}
  const notified = new Set<number>();
  for (let n = 0; n < 1_000; n++) {
    const stream = connection.request(headers(rootToken));
    stream.on("error", () => undefined);
    stream.on("data", () => notified.add(n));
    stream.end(request);
  }
  await until("the first hundred to hear of an event", async () => {
    await sendEvent(server, project, { event_id: newEventId(), message: "watched" });
    return notified.size >= 100;
  });
  await answers();
  assert.is(notified.size, 100);
  connection.destroy();
  await answers();
});

/** A frame of HTTP/2 (RFC 9113, 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

measuringTest("A104: headers without an end are cut off, and others are served", async () => {
  const [host = "", port = ""] = server.grpcAddress.split(":");
  const memory = memoryOf(server.pid);
  const socket = connectTcp({ host, port: Number(port) });
  socket.on("error", () => undefined); // a reset is how it is cut off
  socket.resume();
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, Buffer.alloc(0))]));
  socket.write(frame(1, 0, 1, Buffer.from([0x82]))); // HEADERS without END_HEADERS
  const filler = Buffer.alloc(
    16_000,
    Buffer.concat([Buffer.from([0x00, 0x01, 0x78, 0x7f, 0x00]), Buffer.alloc(127, "x")]),
  );
  let sent = 0;
  while (!socket.destroyed && sent < 64 * megabyte) {
    if (!socket.write(frame(9, 0, 1, filler))) await Promise.race([nextOf(socket, "drain"), nextOf(socket, "close")]);
    sent += filler.length;
  }
  assert.ok(socket.destroyed, `${sent / megabyte} MiB of headers were taken`);
  await answers();
  bound("memory for headers without an end", memory.grown(), { atMost: 100 });
});

function nextOf(socket: ReturnType<typeof connectTcp>, event: string): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}

test.run();
