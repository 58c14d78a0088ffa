import type { MessageInitShape } from "@bufbuild/protobuf";
import { ErrorReason, type UpdateClientKeyRequestSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { dayMs, hourMs, movableClock, passTime } from "../../support/service/movable-faultline.ts";
import { createKey, createProject, type Project } from "../../support/core/project.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { rest } from "../../support/rest/rest.ts";
import { envelope, newEventId, post, sendEnvelope } from "../../support/sentry/send.ts";
import { rowsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import { makePerson } from "./members/people.ts";

const clock = movableClock();
const base = testConfig(tempDir());
const config = { ...base, http: { ...base.http, trustedProxies: ["127.0.0.0/8"] } };
let faultline = await startFaultline(config, clock);
let client = grpcClient(faultline);
const server = () => ({ url: faultline.httpUrl });

async function stop(): Promise<void> {
  client.close();
  await faultline.stop();
}

async function start(): Promise<void> {
  faultline = await startFaultline(config, clock);
  client = grpcClient(faultline);
}

async function restart(): Promise<void> {
  await stop();
  await start();
}
test.after(stop);

const keyOf = ({ id, keyId }: Project) => ({ projectId: id, keyId });
type Change = Omit<MessageInitShape<typeof UpdateClientKeyRequestSchema>, "$typeName" | "projectId" | "keyId">;
const update = (project: Project, change: Change) =>
  client.clientKeys.updateClientKey({ ...keyOf(project), ...change }, client.auth);
const read = async (project: Project) => (await client.clientKeys.getClientKey(keyOf(project), client.auth)).clientKey;
const trafficOf = (project: Project, hourCount = 24) =>
  client.clientKeys.getClientKeyTraffic({ ...keyOf(project), hourCount }, client.auth);

const event = () => JSON.stringify({ event_id: newEventId(), message: "counted" });
const send = (project: Project, headers: Record<string, string> = {}) =>
  post(server(), project, "store", event(), headers);
const status = async (project: Project) => (await send(project)).status;

async function refusedReasons({ id }: Project): Promise<string[]> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: id }, client.auth);
  return outcomes.map(({ category, reason, quantity }) => `${category} ${reason} ${quantity}`).toSorted();
}

test("a disabled key is refused in words that a page can read, and accepted again once it is enabled", async () => {
  const project = await createProject(server());
  const other = { ...project, ...(await createKey(server(), project.id)) };
  await update(project, { active: false });
  const refused = await send(project, { Origin: "https://shop.example" });
  assert.is(refused.status, 403);
  assert.match(refused.text, /this client key was disabled. Enable it on its page in Settings > Monitor/);
  assert.is(refused.headers["access-control-allow-origin"], "*");
  assert.is(await status(other), 200);
  assert.equal(await refusedReasons(project), ["error key_disabled 1"]);
  assert.is((await read(project))?.active, false);
  await update(project, { active: true });
  assert.is(await status(project), 200);
});

test("a limit a minute holds until the minute of the clock ends, for errors and CSP reports but not for sessions", async () => {
  const project = await createProject(server());
  clock.at = Math.ceil(clock.at / hourMs) * hourMs + 15_000;
  await update(project, { eventsPerMinute: 3 });
  const report = { "csp-report": { "effective-directive": "img-src", "blocked-uri": "inline" } };
  const csp = () =>
    http(`${server().url}/api/${project.id}/security/?sentry_key=${project.key}`, {
      method: "POST",
      body: JSON.stringify(report),
    });
  assert.equal([await status(project), await status(project), (await csp()).status], [200, 200, 200]);
  const refused = await send(project);
  assert.is(refused.status, 429);
  assert.is(refused.headers["retry-after"], "45");
  assert.is(refused.headers["x-sentry-rate-limits"], "45:error;default;security:key:key_limit");
  assert.match(refused.text, "This client key has reached its limit.");
  assert.is((await csp()).status, 429);
  const session = { sid: newEventId(), init: true, started: new Date().toISOString(), attrs: { release: "a" } };
  assert.is((await sendEnvelope(server(), project, envelope(undefined, [{ type: "session" }, session]))).status, 200);
  assert.equal(await refusedReasons(project), ["error key_limit 1", "security key_limit 1"]);
  clock.at += 45_000;
  assert.is(await status(project), 200);
  await update(project, { eventsPerMinute: 0 });
  for (let n = 0; n < 10; n++) assert.is(await status(project), 200);
});

test("the count of a day survives a restart, and a limit that is set late counts what came before", async () => {
  const project = await createProject(server());
  clock.at = Math.floor(clock.at / dayMs) * dayMs + 12 * hourMs;
  for (let n = 0; n < 3; n++) assert.is(await status(project), 200);
  await trafficOf(project); // writes what was counted
  await update(project, { eventsPerDay: 5 });
  assert.is(await status(project), 200);
  await restart();
  assert.is(await status(project), 200);
  const refused = await send(project);
  assert.is(refused.status, 429);
  assert.is(refused.headers["retry-after"], "3600"); // not until midnight: the limit may be raised before
  await update(project, { eventsPerDay: 6 });
  assert.equal([await status(project), await status(project)], [200, 429]);
  clock.at += 12 * hourMs;
  assert.is(await status(project), 200);
});

const origins: [headers: Record<string, string>, status: number][] = [
  [{ Origin: "https://shop.example" }, 200],
  [{ Origin: "https://www.shop.example" }, 200],
  [{ Origin: "http://localhost:3000" }, 200],
  [{ Referer: "https://www.shop.example/basket?id=1" }, 200],
  [{}, 200],
  [{ Origin: "https://evil.example" }, 403],
  [{ Origin: "https://shop.example:8443" }, 403],
  [{ Origin: "null" }, 403],
  [{ Referer: "https://evil.example/?https://shop.example" }, 403],
  [{ Origin: "https://evil.example", Referer: "https://shop.example/" }, 403],
];

test("a key with allowed origins accepts pages of these origins and programs, and refuses other pages in words", async () => {
  const project = await createProject(server());
  await update(project, {
    allowedOrigins: { origins: ["https://shop.example/", "https://*.shop.example", "http://localhost:3000"] },
  });
  for (const [headers, expected] of origins) {
    const answer = await send(project, headers);
    assert.is(answer.status, expected, JSON.stringify(headers));
    assert.is(answer.headers["access-control-allow-origin"], "*");
    if (expected === 403) assert.match(answer.text, /does not allow this origin. Add the origin/);
  }
  const refusedCount = origins.filter(([, expected]) => expected === 403).length;
  assert.equal(await refusedReasons(project), [`error origin ${refusedCount}`]);
  await update(project, { allowedOrigins: { origins: [] } });
  assert.is((await send(project, { Origin: "https://evil.example" })).status, 200);
});

test("REST reads and changes a key, and what is bad is refused in a sentence that changes nothing", async () => {
  const project = await createProject(server());
  const path = `/projects/${project.id}/error_tracking/client_keys/${project.keyId}`;
  const put = (body: unknown) => rest(server(), `PUT ${path}`, { body });
  const good = { active: false, events_per_minute: 60, events_per_day: "1000", allowed_origins: ["https://a.example"] };
  const changed = await put(good);
  assert.is(changed.status, 200, changed.text);
  const stored = { ...good, events_per_day: 1000, id: project.keyId, public_key: project.key };
  assert.equal({ ...(changed.json as object), ...stored }, changed.json);
  for (const [body, sentence] of [
    [{ active: "perhaps" }, "active is invalid"],
    [{ active: true, events_per_minute: "many" }, "events_per_minute is invalid"],
    [{ active: true, events_per_minute: -1 }, "events_per_minute is invalid"],
    [{ active: true, events_per_minute: 1.5 }, "events_per_minute is invalid"],
    [{ active: true, events_per_day: 999_999_999 }, "1 to 100,000,000 events"],
    [{ active: true, events_per_minute: 2000 }, "above the limit per day \\(1000\\)"],
    [{ active: true, allowed_origins: "shop.example" }, "is not an origin: write only the scheme and the host"],
    [{ active: true, allowed_origins: [1] }, "allowed_origins is invalid"],
    [{ active: true, allowed_origins: Array.from({ length: 21 }, (_, n) => `https://${n}.example`) }, "at most 20"],
  ] as const) {
    const refused = await put(body);
    assert.is(refused.status, 400, refused.text);
    assert.match(refused.text, new RegExp(sentence));
    assert.equal((await rest(server(), `GET ${path}`)).json, changed.json);
  }
  const open = await put({ active: true, events_per_minute: null, events_per_day: 0, allowed_origins: [] });
  assert.equal((await read(project))?.active, true);
  assert.equal(
    { ...(open.json as object), events_per_minute: null, events_per_day: null, allowed_origins: [] },
    open.json,
  );
  assert.is((await rest(server(), "GET " + path.replace(/\d+$/, "999999"))).status, 404);
});

test("a key of another project is not found, and what a Maintainer does is written down", async () => {
  const [project, other] = [await createProject(server()), await createProject(server())];
  const foreign = { projectId: other.id, keyId: project.keyId };
  await refusedBecause("CLIENT_KEY_NOT_FOUND", client.clientKeys.getClientKey(foreign, client.auth));
  const changed = client.clientKeys.updateClientKey({ ...foreign, active: false }, client.auth);
  assert.is((await refusedBecause("CLIENT_KEY_NOT_FOUND", changed)).reason, ErrorReason.CLIENT_KEY_NOT_FOUND);
  assert.is(await status(project), 200);
  await refusedBecause("CLIENT_KEY_NOT_FOUND", client.clientKeys.getClientKeyTraffic(foreign, client.auth));
  const stranger = await makePerson(client, "stranger");
  await refusedBecause("PROJECT_NOT_FOUND", client.clientKeys.getClientKeyTraffic(keyOf(project), stranger.auth));
  await update(project, { active: false, eventsPerDay: 7 });
  const { auditEvents } = await client.audit.listAuditEvents({ projectId: project.id }, client.auth);
  assert.is(auditEvents[0]?.summary, `Changed the client key ${project.keyId}: disabled, limit a day.`);
});

test("the traffic of a key is what was sent with it: events, bytes, refusals and networks", async () => {
  const project = await createProject(server());
  clock.at = Math.ceil(clock.at / dayMs) * dayMs + 5 * hourMs;
  let bytes = 0;
  const sendFrom = async (address: string, body = event()) => {
    bytes += Buffer.byteLength(body);
    return (await post(server(), project, "store", body, { "X-Forwarded-For": address })).status;
  };
  assert.is(await sendFrom("198.51.100.1"), 200);
  clock.at += hourMs;
  for (let n = 1; n <= 3; n++) assert.is(await sendFrom(`203.0.113.${n}`), 200);
  assert.is(await sendFrom("2001:db8:0:1::7"), 200);
  assert.is(await sendFrom("2001:db8:0:1::8"), 200);
  assert.is(await sendFrom("198.51.100.9", "{"), 400);
  const session = { sid: newEventId(), init: true, started: new Date().toISOString(), attrs: { release: "a" } };
  const text = envelope(undefined, [{ type: "session" }, session]);
  bytes += Buffer.byteLength(text);
  assert.is((await sendEnvelope(server(), project, text)).status, 200);
  await update(project, { active: false });
  assert.is((await send(project, { "X-Forwarded-For": "198.51.100.2" })).status, 403);
  const traffic = await trafficOf(project);
  assert.equal(traffic.eventsPerHour.slice(-2), [1, 5]);
  assert.is(traffic.eventsPerHour.length, 24);
  assert.is(
    traffic.bytesPerHour.reduce((sum, count) => sum + count, 0n),
    BigInt(bytes),
  );
  assert.equal(traffic.refused.map(({ reason, quantity, bytes: size }) => [reason, quantity, size]).toSorted(), [
    ["key_disabled", 1n, 0n],
    ["malformed", 1n, 1n],
  ]);
  assert.equal(
    traffic.networks.map(({ network, quantity }) => `${network} ${quantity}`),
    ["198.51.100.0/24 3", "203.0.113.0/24 3", "2001:db8:0:1::/64 2"],
  );
  assert.is(traffic.otherNetworksQuantity, 0n);
  await restart();
  assert.equal(await trafficOf(project), traffic);
  const path = `/projects/${project.id}/error_tracking/client_keys/${project.keyId}/traffic`;
  const answer = await rest(server(), `GET ${path}?period=7d`);
  const { event_counts: counts, networks } = answer.json as { event_counts: number[]; networks: unknown[] };
  assert.equal([counts.length, counts.slice(-2), networks.length], [168, [1, 5], 3]);
});

test("a key keeps the fifty networks a day that sent most, and adds up the others", async () => {
  const project = await createProject(server());
  for (let n = 0; n < 60; n++) {
    for (let times = 0; times < (n < 10 ? 1 : 2); times++) await send(project, { "X-Forwarded-For": `10.0.${n}.1` });
    if (n === 30) await trafficOf(project); // as after a minute, so that more than fifty come to the table
  }
  assert.is((await trafficOf(project)).networks.length, 50);
  await restart(); // adds up what is beyond fifty
  await until("the others are added up", async () => {
    const rows = await rowsOf(config.dataDir, `select * from client_key_network where key_id = ${project.keyId}`);
    return rows.length === 51;
  });
  const { networks, otherNetworksQuantity } = await trafficOf(project);
  assert.equal(
    networks.map(({ quantity }) => quantity),
    Array.from({ length: 50 }, () => 2n),
  );
  assert.is(otherNetworksQuantity, 10n);
});

const rowsFor = async ({ keyId }: Project) => {
  const tables = ["client_key_traffic", "client_key_network"];
  const counts = tables.map((table) => rowsOf(config.dataDir, `select 1 from ${table} where key_id = ${keyId}`));
  return (await Promise.all(counts)).map((rows) => rows.length);
};

test("the traffic of a deleted key stays to be read for 90 days, and goes with a project that is deleted for good", async () => {
  const [kept, gone] = [await createProject(server()), await createProject(server())];
  for (const project of [kept, gone]) {
    assert.is(await status(project), 200);
    await trafficOf(project);
    assert.equal(await rowsFor(project), [1, 1]);
  }
  await client.clientKeys.deleteClientKey(keyOf(kept), client.auth);
  assert.is((await trafficOf(kept)).eventsPerHour.at(-1), 1);
  await client.projects.deleteProject({ projectId: gone.id }, client.auth);
  await stop();
  await passTime(config, clock, clock.at + 8 * dayMs);
  await start();
  await until("the deleted project is gone", async () => (await rowsFor(gone)).join() === "0,0");
  assert.equal(await rowsFor(kept), [1, 1]);
  await stop();
  await passTime(config, clock, clock.at + 84 * dayMs);
  await start();
  await until("the traffic is gone", async () => (await rowsFor(kept)).join() === "0,0");
});

test.run();
