// limit: 240 s
import { connect as connectHttp2 } from "node:http2";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { services } from "@faultline/proto";
import { status } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { builtIn } from "../../../backend/src/built-in.ts";
import { ConsolePages } from "../../../backend/src/console-pages.ts";
import { MetricRegistry } from "../../../backend/src/host/metrics/registry.ts";
import { operations } from "../../../backend/src/services/operations.ts";
import { createProject } from "../../support/core/project.ts";
import { runningServer } from "../../support/service/flow.ts";
import { repositoryRoot, rootPassword, rootToken } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

/**
 * Every entry point that reads a body, found in the tables of routes, pages and methods, so that a new one is tried too: it gets a
 * body without an end, and one that stalls.
 */

const { server, client } = await runningServer();
const project = await createProject(server);
const token = { authorization: `Bearer ${rootToken}` };

/** An entry point over HTTP. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A path with something in place of its parameters. */
const named = (path: string) => path.replaceAll(/:project\b|:id\b/g, String(project.id)).replaceAll(/:\w+/g, "1");

const bodied = ["POST", "PUT", "PATCH"];
const { all } = await builtIn(testConfig(tempDir()), {
  metrics: new MetricRegistry(),
  tracing: undefined,
  pages: new ConsolePages({ areElsewhere: true }),
  added: [],
});
const json = { ...token, "content-type": "application/json" };
const rest: Entry[] = [...operations, ...all.flatMap((plugin) => plugin.rest ?? [])]
  .filter(({ verb }) => bodied.includes(verb))
  .map(({ verb, path }) => ({ method: verb, path: `/api/v4${named(path)}`, headers: json }));
const apis: Entry[] = all
  .flatMap(({ api }) => api ?? [])
  .flatMap(({ routes }) => routes)
  .flatMap(({ path, methods }) =>
    Object.keys(methods)
      .filter((method) => bodied.includes(method))
      .map((method) => ({ method, path: named(path), headers: json })),
  );
const routes = join(repositoryRoot, "console/src/routes");
const takesBody = /export const (?:actions|POST|PUT|PATCH)\b/;
const pages: Entry[] = globSync(["**/+page.server.ts", "**/+server.ts"], { cwd: routes })
  .filter((file) => takesBody.test(readFileSync(join(routes, file), "utf8")))
  .map((file) => ({
    method: "POST",
    path: `/${file.replace(/\/?\+(?:page\.)?server\.ts$/, "")}`
      .replace("[...project]", project.path)
      .replaceAll(/\/\(\w+\)/g, "")
      .replaceAll(/\[[^\]]*\]/g, "1"),
    headers: { origin: server.url, "content-type": "application/x-www-form-urlencoded" },
  }));
const ingestion: Entry[] = ["store", "envelope", "security", "csp-report", "minidump", "unreal", "otlp/v1/traces"].map(
  (name) => ({ method: "POST", path: `/api/${project.id}/${name}/?sentry_key=${project.key}`, headers: json }),
);
const entries: readonly Entry[] = [...rest, ...apis, ...pages, ...ingestion];

function open({ method, path, headers }: Entry, more: Readonly<Record<string, string>>): Socket {
  const { host, hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined); // `close` follows
  socket.resume();
  const head = Object.entries({ host, ...headers, ...more }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`${method} ${path} HTTP/1.1`, ...head, "", ""].join("\r\n"));
  return socket;
}

test("the tables have the entry points", () => {
  assert.ok(rest.length >= 5, `${rest.length} of REST`);
  assert.ok(apis.length >= 10, `${apis.length} of plugins`);
  assert.ok(pages.length >= 30, `${pages.length} of the console`);
});

/** More than any entry point takes. */
const endless = 64 * 1024 * 1024;
const part = Buffer.alloc(256 * 1024, "a");
const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);

/** Sends a body without an end; the bytes that were sent before it was answered, or its connection cut. */
async function sentOf(entry: Entry): Promise<number> {
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
