import { randomBytes } from "node:crypto";
import { ErrorService } from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../support/console/console.ts";
import { runningServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { newEventId, sendEvent, sendStore } from "../support/sentry/send.ts";
import { rootPassword, rootToken, startServer } from "../support/service/server.ts";
import { traceCollector, type ReceivedSpan } from "../support/external/trace-collector.ts";
import { bound, measuringTest, stopwatch } from "../support/measure/measured.ts";
import { until } from "../support/run/until.ts";

const headerSecret = "the secret of the collector";
const collector = await traceCollector();
const { server, client } = await runningServer({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(headerSecret)}`,
    OTEL_SERVICE_NAME: "errors-of-the-shop",
    FAULTLINE_LOG_LEVEL: "info",
  },
});
const project = await createProject(server);
test.after(async () => {
  assert.equal(collector.complaints, []);
  await collector.close();
});

/** The work elsewhere that asks for something here. */
const elsewhere = (flags = "01") => {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

/** The matching span, as soon as it has arrived. */
const arrived = (what: string, fits: (span: ReceivedSpan) => boolean) =>
  until(what, () => collector.spans.find(fits), { deadlineMs: 15_000 });

test("the span of an envelope is part of what its sender traces, its acceptance is part of it, and the batch is linked", async () => {
  const caller = elsewhere();
  const event = JSON.stringify({ event_id: newEventId(), message: "traced" });
  const body = `{}\n{"type":"event"}\n${event}\n`;
  const answer = await http(`${server.url}/api/${project.id}/envelope/?sentry_key=${project.key}`, {
    method: "POST",
    headers: { traceparent: caller.traceparent, "content-type": "application/x-sentry-envelope" },
    body,
  });
  assert.is(answer.status, 200, answer.text);
  const request = await arrived("the request", ({ parentId }) => parentId === caller.spanId);
  assert.equal(
    { ...request, spanId: "" },
    {
      name: "POST /api/:project/envelope",
      traceId: caller.traceId,
      spanId: "",
      parentId: caller.spanId,
      kind: 2,
      isFailed: false,
      links: [],
      attributes: {
        "http.request.method": "POST",
        "http.route": "/api/:project/envelope",
        "http.response.status_code": 200,
      },
    },
  );
  const acceptance = await arrived("the acceptance", ({ parentId }) => parentId === request.spanId);
  assert.is(acceptance.name, "accept");
  assert.is(acceptance.traceId, caller.traceId);
  const batch = await arrived("the batch", ({ links }) => links.includes(acceptance.spanId));
  assert.is(batch.name, "store batch");
  assert.is(batch.parentId, "", "a batch is for many requests, and part of none");
  assert.equal(batch.attributes, { "faultline.events": 1, "faultline.sessions": 0, "faultline.feedback": 0 });
});

test("the span of a gRPC call is part of what its caller traces", async () => {
  const connection = connect(server.grpcAddress, credentials.createInsecure());
  const caller = elsewhere();
  await connection
    .service(ErrorService)
    .listErrors({ projectId: project.id }, { token: rootToken, traceparent: caller.traceparent });
  connection.close();
  const call = await arrived("the call", ({ parentId }) => parentId === caller.spanId);
  assert.is(call.name, "faultline.v1.ErrorService/ListErrors");
  assert.is(call.traceId, caller.traceId);
  assert.is(call.kind, 2);
  assert.equal(call.attributes, {
    "rpc.system.name": "grpc",
    "rpc.method": "faultline.v1.ErrorService/ListErrors",
    "rpc.status_code": "OK",
  });
});

test("the calls of a page are part of its request, whatever trace its reader names", async () => {
  const cookie = sessionCookie(await signInByForm(server));
  const caller = elsewhere();
  const page = await http(`${server.url}/-/projects`, { headers: { cookie, traceparent: caller.traceparent } });
  assert.is(page.status, 200);
  const request = await arrived("the page", ({ parentId }) => parentId === caller.spanId);
  assert.is(request.name, "GET page");
  const call = await arrived("its call", ({ parentId, kind }) => parentId === request.spanId && kind === 2);
  assert.match(call.name, /^faultline\.v1\.\w+\/\w+$/);
});

test("scheduled work is a separate trace, except work of every few seconds", async () => {
  const work = await arrived("what runs each hour", ({ name }) => name === "delete expired invitations");
  assert.is(work.parentId, "");
  assert.is(work.kind, 1);
  assert.not.ok(collector.spans.some(({ name }) => name === "save what was counted"));
});

test("a text that is not a traceparent begins a trace, and so does a missing one", async () => {
  const begun = collector.spans.length;
  for (const traceparent of ["", "00-0-0-01", `00-${"0".repeat(32)}-${"1".repeat(16)}-01`, `${"9".repeat(5_000)}`]) {
    assert.is((await http(`${server.url}/-/health`, { headers: { traceparent } })).status, 200);
  }
  const isHealth = ({ name }: ReceivedSpan) => name === "GET /-/health";
  const spans = await until("all four", () => {
    const found = collector.spans.slice(begun).filter(isHealth);
    return found.length >= 4 && found;
  });
  assert.equal(
    spans.map(({ parentId }) => parentId),
    ["", "", "", ""],
  );
});

test("a failed call and a refused request are reported with their codes, and no word of what was sent", async () => {
  await client.errors.listErrors({ projectId: 999_999 }, client.auth).catch(() => undefined);
  await arrived("the refusal", ({ attributes }) => attributes["rpc.status_code"] === "NOT_FOUND");
  await sendEvent(server, project, {
    event_id: newEventId(),
    message: "the message",
    user: { email: "a@example.com" },
  });
  await sendStore(server, { id: project.id, key: "f".repeat(32) }, { message: "the message" });
  await arrived("the request", ({ attributes }) => attributes["http.response.status_code"] === 403);
  await rest(server, `GET /projects/${project.id}?private_token=${rootToken}`, { token: null });
  await http(`${server.url}/no/such/page?secret=in-the-query`);
  await http(`${server.url}/api/v4/no-such-route/secret-in-the-path`);
  await arrived("an unknown route", ({ name }) => name === "GET /api");
  const secrets = [project.key, "f".repeat(32), rootToken, rootPassword, headerSecret];
  const texts = ["the message", "a@example.com", "in-the-query", "secret-in-the-path", "no/such/page", "project-"];
  for (const body of collector.bodies) {
    for (const text of [...secrets, ...texts]) assert.not.ok(body.includes(text), text);
  }
  const names = [...new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)))].toSorted();
  assert.equal(names, [
    "faultline.events",
    "faultline.feedback",
    "faultline.sessions",
    "http.request.method",
    "http.response.status_code",
    "http.route",
    "rpc.method",
    "rpc.status_code",
    "rpc.system.name",
  ]);
  assert.not.match(server.output(), headerSecret);
});

test("the collector learns which service sends these traces, with the headers that were set", () => {
  const { "service.name": name, "service.version": version, ...more } = collector.resource;
  assert.is(name, "errors-of-the-shop");
  assert.match(String(version), /^\d+\.\d+\.\d+/);
  assert.equal(more, {});
  assert.is(collector.headers[0]?.["x-collector-key"], headerSecret);
});

test("without an endpoint nothing is sent, and with a share of 0 nothing either, even if the caller asks for it", async () => {
  const silent = await traceCollector();
  const share = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${silent.url}/v1/traces`, OTEL_TRACES_SAMPLER_ARG: "0" };
  const other = { OTEL_SERVICE_NAME: "off", OTEL_TRACES_SAMPLER_ARG: "1" };
  for (const env of [share, other]) {
    const one = await startServer({ env });
    const { traceparent } = elsewhere();
    assert.is((await http(`${one.url}/-/health`, { headers: { traceparent } })).status, 200);
    assert.is(await one.stop(), 0); // what is left to send goes with the stop
  }
  assert.equal(silent.spans, []);
  assert.equal(silent.headers, []);
  await silent.close();
});

test("a stop sends what is left", async () => {
  const one = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const caller = elsewhere();
  await http(`${one.url}/-/readiness`, { headers: { traceparent: caller.traceparent } });
  await one.stop();
  assert.ok(collector.spans.some(({ parentId }) => parentId === caller.spanId));
});

measuringTest(
  "a collector that does not answer, or is not there, delays no request and the stop by a second, and is a warning",
  async () => {
    const silent = await traceCollector({ isSilent: true });
    await Promise.all(
      [silent.url, "http://127.0.0.1:1"].map(async (url) => {
        const one = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
        const target = await createProject(one);
        for (let n = 0; n < 50; n++) {
          const answer = await sendStore(one, target, { message: "meanwhile" });
          assert.is(answer.status, 200, answer.text);
        }
        await until("the warning", () => one.output().includes("traces cannot be sent"), { deadlineMs: 25_000 });
        const time = stopwatch();
        assert.is(await one.stop(), 0);
        bound("a stop beside a collector that does not answer", time(), { atMost: 3_000 });
        assert.not.match(one.output(), /"level":[56]0/);
      }),
    );
    await silent.close();
  },
);

test.run();
