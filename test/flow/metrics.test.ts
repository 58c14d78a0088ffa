import { test } from "uvu";
import * as assert from "uvu/assert";
import { databaseOf } from "../support/database/database-of.ts";
import { runningServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { createProject } from "../support/core/project.ts";
import { readPrometheusText } from "../support/assert/prometheus-text.ts";
import { rejects } from "../support/assert/rejects.ts";
import { rest } from "../support/rest/rest.ts";
import { envelope, newEventId, post, sendEnvelope, sendEvent, sendStore } from "../support/sentry/send.ts";
import { rootPassword, rootToken } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

const token = "a-token-for-prometheus";

const { server, client } = await runningServer({ env: { FAULTLINE_METRICS_TOKEN: token } });

const ask = (headers: Record<string, string> = {}, method = "GET") =>
  http(`${server.url}/-/metrics`, { method, headers });

/** All samples by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const families = readPrometheusText((await ask()).text);
  return new Map([...families.values()].flatMap(({ samples }) => [...samples]));
}

/** The samples that `act` changes with their differences, except samples about the process. */
async function changes(act: () => Promise<unknown>): Promise<Map<string, number>> {
  const before = await scrape();
  await act();
  const after = await scrape();
  return new Map(
    [...after].flatMap(([name, value]) => {
      const added = value - (before.get(name) ?? 0);
      return added === 0 ? [] : [[name, added] as const];
    }),
  );
}

/** The samples with names that begin like this. */
const of = (found: Map<string, number>, ...beginnings: string[]) =>
  Object.fromEntries([...found].filter(([name]) => beginnings.some((beginning) => name.startsWith(beginning))));

test("outcomes are counted exactly: accepted, refused, left aside, not sent", async () => {
  const project = await createProject(server);
  const session = { sid: newEventId(), init: true, started: new Date().toISOString(), attrs: { release: "1" } };
  const report = { discarded_events: [{ reason: "sample_rate", category: "error", quantity: 7 }] };
  const found = await changes(async () => {
    for (let n = 0; n < 3; n++) {
      assert.is((await sendStore(server, project, { event_id: newEventId(), message: "one" })).status, 200);
    }
    const event = { event_id: newEventId(), message: "two" };
    const mixed = envelope(
      event.event_id,
      [{ type: "event" }, event],
      [{ type: "session" }, session],
      [{ type: "transaction" }, {}],
      [{ type: "client_report" }, report],
    );
    assert.is((await sendEnvelope(server, project, mixed)).status, 200);
    assert.is((await sendEnvelope(server, { ...project, key: "0".repeat(32) }, mixed)).status, 403);
    assert.is((await post(server, project, "store", "{")).status, 400);
  });
  assert.equal(of(found, "faultline_events_"), {
    'faultline_events_accepted_total{category="error"}': 4,
    'faultline_events_accepted_total{category="session"}': 1,
    'faultline_events_refused_total{category="default",reason="unknown_key"}': 1,
    'faultline_events_refused_total{category="error",reason="malformed"}': 1,
    'faultline_events_left_aside_total{category="transaction",reason="not_kept"}': 1,
    'faultline_events_not_sent_total{category="error",reason="sample_rate"}': 7,
  });
  assert.equal(of(found, "faultline_http_requests_total"), {
    'faultline_http_requests_total{kind="ingestion",status="200"}': 4,
    'faultline_http_requests_total{kind="ingestion",status="403"}': 1,
    'faultline_http_requests_total{kind="ingestion",status="400"}': 1,
    'faultline_http_requests_total{kind="health",status="200"}': 1, // the scrape before
  });
  assert.is(found.get("faultline_acknowledgement_seconds_count"), 4);
  assert.is(found.get("faultline_batch_items_sum"), 5);
  assert.is(found.get('faultline_batches_total{result="stored"}'), found.get("faultline_batch_seconds_count"));
});

test("calls are counted by method and code, calls of pages separately", async () => {
  const found = await changes(async () => {
    await client.projects.listProjects({}, client.auth);
    await client.projects.listProjects({}, client.auth);
    await rejects(client.projects.listProjects({}, { token: "wrong" }), "UNAUTHENTICATED");
    assert.is((await rest(server, "GET /projects")).status, 200);
    assert.is((await http(`${server.url}/-/sign_in`)).status, 200);
  });
  assert.equal(of(found, 'faultline_grpc_calls_total{server="public"'), {
    'faultline_grpc_calls_total{server="public",method="ProjectService.ListProjects",code="OK"}': 2,
    'faultline_grpc_calls_total{server="public",method="ProjectService.ListProjects",code="UNAUTHENTICATED"}': 1,
  });
  assert.is(found.get('faultline_http_requests_total{kind="api",status="200"}'), 1);
  assert.is(found.get('faultline_http_requests_total{kind="page",status="200"}'), 1);
});

test("a call that its caller cancels is counted once, as cancelled", async () => {
  const project = await createProject(server);
  const series = 'faultline_grpc_calls_total{server="public",method="OutcomeService.WatchRefusals",code="CANCELLED"}';
  const before = await scrape();
  const gaveUp = new AbortController();
  const watching = client.outcomes.watchRefusals({ projectId: project.id }, { ...client.auth, signal: gaveUp.signal });
  const first = watching[Symbol.asyncIterator]().next();
  const sent = await sendEvent(server, { ...project, key: "0".repeat(32) }, { event_id: newEventId() });
  assert.is(sent.status, 403);
  await first;
  gaveUp.abort();
  await until("the count", async () => (await scrape()).get(series) === (before.get(series) ?? 0) + 1);
  assert.equal(
    [...(await scrape()).keys()].filter((name) => name.includes("WatchRefusals")),
    [series],
  );
});

test("process, queue, disk and files are measured", async () => {
  const found = await scrape();
  const between = (name: string, low: number, high: number) => {
    const value = found.get(name) ?? Number.NaN;
    assert.ok(value >= low && value <= high, `${name} is ${value}`);
  };
  const now = Date.now() / 1000;
  between("process_start_time_seconds", now - 600, now);
  between("process_resident_memory_bytes", 50e6, 2e9);
  between("nodejs_heap_used_bytes", 10e6, 2e9);
  between("process_cpu_seconds_total", 0.1, 600);
  between("nodejs_event_loop_active_seconds_total", 0.01, 600);
  between("nodejs_event_loop_lag_max_seconds", 0, 60);
  between("process_open_fds", 10, 10_000);
  between("process_max_fds", 256, 1e12);
  between("faultline_ready", 1, 1);
  between("faultline_queue_waiting_items", 0, 0);
  between("faultline_queue_waiting_bytes", 0, 0);
  between("faultline_disk_free_bytes", 1e6, 1e18);
  between("faultline_disk_low", 0, 0);
  if (databaseOf(server.dataDir) === undefined) {
    between("faultline_database_bytes", 4_096, 1e9);
    between("faultline_database_log_bytes", 0, 1e9);
    assert.not(found.has("faultline_database_connections_used"));
  } else {
    between("faultline_database_connections_used", 0, 10);
    between("faultline_database_connections_waiting", 0, 0);
    assert.not(found.has("faultline_database_bytes"));
  }
  assert.not(found.has("faultline_queue_connected"), "there is no queue");
  between('faultline_task_runs_total{task="save what was counted",result="done"}', 1, 1e6);
  const [info = ""] = [...found.keys()].filter((name) => name.startsWith("faultline_build_info"));
  assert.match(info, /^faultline_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\}$/);
});

test("A117: no label names a project, a release or a sender, and nothing secret is shown", async () => {
  const project = await createProject(server);
  const before = await scrape();
  const canary = "canary-7f3a";
  for (const extra of [
    { release: canary, environment: canary },
    { tags: { [canary]: canary }, user: { id: canary } },
  ]) {
    await sendEvent(server, project, { event_id: newEventId(), message: canary, ...extra });
  }
  await sendEnvelope(server, project, envelope(newEventId(), [{ type: canary }, {}]));
  const report = { discarded_events: [{ reason: canary, category: canary, quantity: 1 }] };
  await sendEnvelope(server, project, envelope(undefined, [{ type: "client_report" }, report]));
  await http(`${server.url}/api/${project.id}/${canary}/`);
  await http(`${server.url}/${canary}/-/error_tracking`);
  await http(`${server.url}/api/v4/projects/${canary}`, { method: "GET", headers: { "PRIVATE-TOKEN": canary } });
  const { text } = await ask();
  const { json } = await rest(server, `GET /projects/${project.id}`);
  const { path } = json as { path: string };
  assert.match(path, "project-");
  for (const secret of [canary, project.key, path, rootToken, rootPassword, token, server.dataDir, "127.0.0.1"]) {
    assert.not.match(text, secret);
  }
  const added = [...(await scrape()).keys()].filter((name) => !before.has(name));
  assert.ok(added.length < 20, added.join("\n"));
});

test("callers elsewhere without a token find nothing there", async () => {
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  assert.is((await ask()).status, 200);
  assert.is((await ask({ Authorization: `Bearer ${token}` })).status, 200);
  assert.is((await ask({ Authorization: `Bearer ${token}`, ...proxied })).status, 200);
  for (const headers of [
    proxied,
    { ...proxied, Authorization: "Bearer wrong" },
    { ...proxied, Authorization: `Basic ${token}` },
    { ...proxied, Authorization: `Bearer ${rootToken}` },
    { Authorization: "Bearer wrong" },
    { Authorization: `Bearer ${rootToken}` },
    { Host: "rebound.example" }, // a page's own name that leads to this machine
    { Host: "localhost.rebound.example:80" },
  ]) {
    for (const method of ["GET", "POST"]) {
      const { status, text } = await ask(headers, method);
      assert.is(status, 404, JSON.stringify(headers));
      assert.not.match(text, "faultline_");
    }
  }
});

test("only the exact path is theirs, so that a proxy's rule covers it", async () => {
  for (const path of ["/-/metrics/", "/-/metrics//", "/-/Metrics"]) {
    const { text } = await http(`${server.url}${path}`);
    assert.not.match(text, "faultline_", path);
  }
  assert.is((await ask({ Host: "localhost" })).status, 200);
});

test("the text is Prometheus' own, and only read", async () => {
  const { headers } = await ask();
  assert.is(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  const head = await ask({}, "HEAD");
  assert.is(head.status, 200);
  assert.is(head.text, "");
  const { status, headers: refused } = await ask({}, "POST");
  assert.is(status, 405);
  assert.is(refused.allow, "GET, HEAD");
});

test.run();
