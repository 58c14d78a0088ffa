// limit: 300 s
import { connect } from "node:net";
import { getOption } from "@bufbuild/protobuf";
import { needs, Needs_Who, services } from "@faultline/proto";
import { status } from "@grpc/grpc-js";
import { connect as connectHttp2 } from "node:http2";
import { once } from "node:events";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { createProject } from "../../support/core/project.ts";
import { entryPoints } from "../../support/http/entry-points.ts";
import { http } from "../../support/http/http.ts";
import { rest as callRest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";
import { rootToken } from "../../support/service/server.ts";

/** The answers of every entry point to clients that do not read, and to clients that call again and again. */

const { server } = await runningServer();
const { server: limitedServer } = await runningServer({ env: { FAULTLINE_API_RATE_LIMIT: "1" } });

/** The number of tried entry points, beginning with the largest answers. */
const tried = 20;

/** The bytes that a connection asks for: more than the buffers of both systems hold. */
const askedBytes = 48 * 1024 * 1024;

test("answers that nobody reads are cut, at the entry points with the largest answers", async () => {
  const project = await createProject(server);
  const text = "x".repeat(900);
  const extra = Object.fromEntries(Array.from({ length: 400 }, (_, key) => [`key ${key}`, text]));
  for (let n = 0; n < 5; n++) await sendStore(server, project, { event_id: newEventId(), message: "large", extra });
  const cookie = sessionCookie(await signInByForm(server));
  const { rest, apis, pages } = await entryPoints(server, project);
  const answers: { path: string; headers: Record<string, string>; bytes: number }[] = [];
  for (const { method, path, headers } of [...rest, ...apis, ...pages]) {
    if (method !== "GET" || path.endsWith("/live")) continue;
    const own = { cookie, ...headers };
    const { text: body } = await http(`${server.url}${path}`, { headers: own });
    answers.push({ path, headers: own, bytes: body.length });
  }
  const largest = answers.toSorted((one, other) => other.bytes - one.bytes).slice(0, tried);
  const unread = async () => {
    const { text: metrics } = await http(`${server.url}/-/metrics`);
    return Number(/^faultline_unread_answers_bytes (\S+)$/m.exec(metrics)?.[1]);
  };
  const { host, hostname, port } = new URL(server.url);
  const sockets = largest.map(({ path, headers, bytes }) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined).pause();
    const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    const request = [`GET ${path} HTTP/1.1`, ...head, "", ""].join("\r\n");
    socket.write(request.repeat(Math.ceil(askedBytes / bytes)));
    return { path, socket };
  });
  await until("answers wait for their readers", async () => (await unread()) > 0);
  await until("all of them are cut", async () => (await unread()) === 0, { deadlineMs: 60_000 });
  const whole: string[] = [];
  for (const { path, socket } of sockets) {
    socket.resume();
    await until(`${path} is closed`, () => socket.closed, { deadlineMs: 30_000 });
    if (socket.bytesRead >= askedBytes) whole.push(path);
  }
  assert.equal(whole, []);
});

/** Entry points without a token. Each has separate limits. */
const withoutToken = ["POST /api/tracker_webhooks/1"];

test("every entry point that takes a token counts calls", async () => {
  const limited = async (call: () => Promise<boolean>, most = 3) => {
    // A call is free again each second, so it may come between the two.
    for (let tries = 0; tries < most; tries++) {
      while ((await callRest(limitedServer, "GET /user", { token: rootToken })).status !== 429);
      if (await call()) return true;
    }
    return false;
  };
  const { rest, apis } = await entryPoints(limitedServer, await createProject(limitedServer));
  const free: string[] = [];
  for (const { method, path, headers } of [...rest, ...apis]) {
    const body = ["GET", "DELETE"].includes(method) ? {} : { body: "{}" };
    const call = async () => (await http(`${limitedServer.url}${path}`, { method, headers, ...body })).status === 429;
    if (!(await limited(call))) free.push(`${method} ${path}`);
  }
  assert.equal(free, withoutToken);
  const session = connectHttp2(`http://${limitedServer.grpcAddress}`);
  const unlimited: string[] = [];
  for (const { typeName, methods } of Object.values(services)) {
    for (const method of methods) {
      if (getOption(method, needs).who === Needs_Who.ANYONE) continue;
      const call = async () => {
        const stream = session.request({
          ":method": "POST",
          ":path": `/${typeName}/${method.name}`,
          "content-type": "application/grpc",
          te: "trailers",
          authorization: `Bearer ${rootToken}`,
        });
        stream.on("error", () => undefined);
        stream.end(Buffer.alloc(5)); // an empty message
        const [headers] = (await once(stream, "response")) as [Record<string, string>];
        stream.close();
        return headers["grpc-status"] === String(status.RESOURCE_EXHAUSTED);
      };
      const ofReports = 200; // they have a separate limit of ten times as many
      if (!(await limited(call, method.name.startsWith("Report") ? ofReports : undefined)))
        unlimited.push(`${typeName}/${method.name}`);
    }
  }
  session.destroy();
  assert.equal(unlimited, []);
});

test.run();
