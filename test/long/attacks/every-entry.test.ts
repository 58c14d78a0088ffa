// limit: 240 s
import { connect as connectHttp2 } from "node:http2";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { services } from "@faultline/proto";
import { status } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { entryPoints, type EntryPoint } from "../../support/http/entry-points.ts";
import { runningServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";

/**
 * Sends a body without an end, and a body that stalls, to every entry point that reads a body. They come from the
 * tables of routes, pages and methods, so that new entry points are included.
 */

const { server, client } = await runningServer();
const project = await createProject(server);
const bodied = ["POST", "PUT", "PATCH"];

const { rest, apis, pages, ingestion } = await entryPoints(server, project);
const entries = [...rest, ...apis, ...pages, ...ingestion].filter(({ method }) => bodied.includes(method));

function open({ method, path, headers }: EntryPoint, more: Readonly<Record<string, string>>): Socket {
  const { host, hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined); // `close` follows
  socket.resume();
  const head = Object.entries({ host, ...headers, ...more }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`${method} ${path} HTTP/1.1`, ...head, "", ""].join("\r\n"));
  return socket;
}

/** More than any entry point takes. */
const endless = 64 * 1024 * 1024;
const part = Buffer.alloc(256 * 1024, "a");
const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);

/** Sends a body without an end; the bytes that were sent before it was answered, or its connection cut. */
async function sentOf(entry: EntryPoint): Promise<number> {
  const socket = open(entry, { "transfer-encoding": "chunked" });
  const over = Promise.race([once(socket, "data").catch(() => undefined), closed(socket)]);
  let sent = 0;
  while (sent < endless && socket.bytesRead === 0 && !socket.closed) {
    sent += part.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => undefined), over]);
  }
  socket.destroy();
  return sent;
}

const closed = (socket: Socket) =>
  new Promise((resolve) => (socket.closed ? resolve(0) : socket.once("close", resolve)));

test("a body without an end is answered or cut at every entry point", async () => {
  const wrong: string[] = [];
  for (const entry of entries) {
    if ((await sentOf(entry)) >= endless) wrong.push(`${entry.method} ${entry.path}`);
  }
  assert.equal(wrong, []);
});

test("a message of gRPC that is larger than its method takes is refused by its size", async () => {
  const wrong: string[] = [];
  // A personal access token may not call all of them.
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  const session = connectHttp2(`http://${server.grpcAddress}`);
  const announced = Buffer.from([0, 0x02, 0, 0, 0]); // 32 MiB
  for (const { typeName, methods } of Object.values(services)) {
    for (const { name } of methods) {
      const stream = session.request({
        ":method": "POST",
        ":path": `/${typeName}/${name}`,
        "content-type": "application/grpc",
        te: "trailers",
        authorization: `Bearer ${sessionToken}`,
      });
      stream.on("error", () => undefined);
      stream.write(Buffer.concat([announced, Buffer.alloc(1_024)]));
      const [headers] = (await once(stream, "response")) as [Record<string, string>];
      if (headers["grpc-status"] !== String(status.RESOURCE_EXHAUSTED)) wrong.push(`${typeName}/${name}`);
      stream.close();
    }
  }
  session.destroy();
  assert.equal(wrong, []);
});

test("a body that stalls is ended at every entry point, and the service answers meanwhile", async () => {
  const sockets = entries.map((entry) => [entry, open(entry, { "content-length": "2000" })] as const);
  for (const [, socket] of sockets) socket.write("a".repeat(1_000));
  const ended = Promise.all(sockets.map(([, socket]) => Promise.race([once(socket, "data"), closed(socket)])));
  const { instance } = await client.instance.getInstance({}, client.auth);
  assert.ok(instance);
  await Promise.race([ended, delay(60_000, undefined, { ref: false })]);
  const left = sockets.filter(([, socket]) => !socket.closed && socket.bytesRead === 0);
  for (const [, socket] of sockets) socket.destroy();
  assert.equal(
    left.map(([{ method, path }]) => `${method} ${path}`),
    [],
  );
});

test.run();
