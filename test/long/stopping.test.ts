// limit: 300 s
// alone: stops under load, and whoever waits for a stop has seconds
import { request as httpRequest } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { Backend } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { claimDataDirectory } from "../../backend/src/storage/database/data-directory.ts";
import { randomFrom } from "../bench/node-event.ts";
import { sessionCookie, signInByForm } from "../support/console/console.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { http } from "../support/http/http.ts";
import { load, type LoadRequest } from "../support/service/load.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { bytesOf, headOf } from "../support/http/raw-request.ts";
import { openSocket } from "../support/http/raw-socket.ts";
import { recount } from "../support/database/recount.ts";
import { rounds } from "../support/run/rounds.ts";
import { newEventId } from "../support/sentry/send.ts";
import { rootToken, startServer, type Server } from "../support/service/server.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { bound, measuringTest, stopwatch } from "../support/measure/measured.ts";
import { until } from "../support/run/until.ts";

const stops = rounds({ short: 1, long: 2, all: 100 });

/** Set SEED to repeat the moments of a run. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const random = randomFrom(seed);

/** An external system that takes connections and says nothing. */
const silent = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
const silentPort = String(await until("its port", () => (silent.address() as AddressInfo | null)?.port));
test.after(() => void silent.close());

const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: silentPort };

/** An event as a request; what it is stored as follows from its id. */
function eventRequest(project: Project, id: string): LoadRequest {
  const event = { event_id: id, message: `Group ${id.charCodeAt(0) % 5}`, extra: { padding: id.repeat(50) } };
  return { id, parts: [bytesOf(project, { body: JSON.stringify(event) })] };
}

/** Sends as many events as 16 connections can until they are asked to close, and each of another sender on its own. */
function busyClients(server: Server, project: Project, isReady: () => boolean) {
  const sent = new Set<string>();
  const statuses = new Map<string, number>();
  const next = () => {
    const id = newEventId();
    sent.add(id);
    return eventRequest(project, id);
  };
  const onAnswer = ({ id }: LoadRequest, status: number) => void statuses.set(id, status);
  const url = server.url;
  const single = async () => {
    // As a load balancer does: where readiness says no, it opens no new connections, and none where nobody listens.
    for (let isAnswered = true; isAnswered && isReady();) {
      isAnswered = false;
      let left = 1;
      const noteAnswer = (request: LoadRequest, status: number) => {
        isAnswered = true;
        onAnswer(request, status);
      };
      await load({ url, connections: 1, next: () => (left-- > 0 ? next() : undefined), onAnswer: noteAnswer });
    }
  };
  const ended = Promise.all([load({ url, connections: 16, next, onAnswer }), single()]);
  return { sent, statuses, ended };
}

/**
 * Asks for readiness on one connection, again and again, until it says no; and on a new one when the connection ends with
 * a yes, which was on its way when the stop began. Until nobody answers.
 */
async function watchReadiness({ url }: Server, heard: number[]): Promise<void> {
  const request = {
    id: "readiness",
    parts: [Buffer.from("GET /-/readiness HTTP/1.1\r\nHost: faultline.test\r\n\r\n")],
  };
  const onAnswer = (_request: LoadRequest, status: number) => void heard.push(status);
  for (let before = -1; before < heard.length && heard.at(-1) !== 503;) {
    before = heard.length;
    await load({ url, connections: 1, next: () => request, onAnswer });
  }
}

/** Sends the beginning of a request, and then a little of the rest now and then, without end. */
async function slowClient(server: Server, beginning: string, rest: string) {
  const socket = await openSocket(server);
  socket.write(beginning);
  const timer = setInterval(() => socket.write(rest), 100);
  const end = () => {
    clearInterval(timer);
    socket.destroy();
  };
  return { answer: () => socket.answer(), end };
}

const slowUpload = (server: Server, project: Project) =>
  slowClient(server, headOf(project, { headers: { "Content-Length": "100000" } }), "x");

const slowHead = (server: Server) =>
  slowClient(server, "POST /api/1/store/ HTTP/1.1\r\nHost: faultline.test\r\n", "X-More: x\r\n");

/** Opens the live stream of a page of the console; resolves with how it ended. */
async function livePage(server: Server, project: Project): Promise<{ ended: Promise<"ended" | "cut"> }> {
  const Cookie = sessionCookie(await signInByForm(server));
  const input = encodeURIComponent(JSON.stringify({ projectId: project.id }));
  const opened = httpRequest(`${server.url}/-/trpc/errors.watchErrors?input=${input}`, {
    agent: false,
    headers: { Accept: "text/event-stream", Cookie },
  });
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    opened.once("response", resolve).once("error", reject).end();
  });
  assert.is(response.headers["content-type"], "text/event-stream");
  response.resume();
  const ended = new Promise<"ended" | "cut">((resolve) => {
    response.once("end", () => resolve("ended")).once("error", () => resolve("cut"));
  });
  return { ended };
}

/** A watch over gRPC; resolves with the code it ended with. */
function watch(client: GrpcClient, project: Project): { ended: Promise<unknown> } {
  const listen = async () => {
    for await (const _ of client.errors.watchErrors({ projectId: project.id }, client.auth)) continue;
    return "ended";
  };
  return { ended: listen().catch((error: unknown) => (error instanceof CallError ? error.code : error)) };
}

/** A project of which the external system never answers. */
async function silentProject(client: GrpcClient): Promise<number> {
  const { project } = await client.projects.createProject({ path: "silent" }, client.auth);
  const projectId = project?.projectId ?? 0;
  const settings = {
    projectId,
    active: true,
    backend: Backend.EXTERNAL,
    externalApiUrl: `http://127.0.0.1:${silentPort}`,
    externalAuthToken: "token",
    externalProject: { id: "1", slug: "web", name: "Web", organizationSlug: "acme", organizationName: "Acme" },
  };
  await client.settings.updateSettings(settings, client.auth);
  return projectId;
}

/** Puts events into the stopped database that retention will delete at the next start. */
function addOldEvents(dataDir: string, count: number): void {
  using database = new DatabaseSync(join(dataDir, "faultline.db"));
  const at = Date.now() - 100 * 86_400_000;
  const payloadColumns = database
    .prepare("select name from pragma_table_info('integrated_payload') where name <> 'event_row_id'")
    .all()
    .map(({ name }) => String(name));
  database.exec(`begin;
    insert into integrated_error select (select max(id) + 1 from integrated_error), project_id, randomblob(20),
        grouping_version, 'old', type, value, culprit, level, platform, status, ${count}, 0, ${at}, ${at},
        first_release, last_release, status_changed_at, reopened_at from integrated_error limit 1;
    create temp table old as with recursive n (i) as (values (1) union all select i + 1 from n where i < ${count})
      select i + (select max(id) from integrated_event) as id from n;
    insert into integrated_event (id, project_id, event_id, error_id, occurred_at, received_at, title, user, release,
        environment, level)
      select old.id, project_id, randomblob(16), error.id, ${at}, ${at}, 'old', '', '', '', 'error'
      from old, (select id, project_id from integrated_error where title = 'old' order by id desc limit 1) error;
    insert into integrated_payload (event_row_id, ${payloadColumns.join()}) select old.id, ${payloadColumns.join()}
      from old, (select * from integrated_payload limit 1);
    insert into integrated_hour select id, ${at} / 3600000, ${count} from integrated_error where title = 'old'
      order by id desc limit 1;
    commit`);
}

/** Of the events that were sent; of the old ones many may wait for retention still. */
async function storedIds(client: GrpcClient, project: Project): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const { errorId, title } of await storedErrors(client, project.id)) {
    if (title === "old") continue;
    for (const id of await storedEventIds(client, project.id, errorId)) ids.add(id);
  }
  return ids;
}

measuringTest(`a stop under load answers what was sent and loses nothing, ${stops} times (SEED=${seed})`, async () => {
  let server = await startServer({ env });
  let client = grpcClient(server);
  const project = await createProject(server);
  const silentId = await silentProject(client);
  const acknowledged = new Set<string>();
  await load({
    url: server.url,
    connections: 1,
    next: () => (acknowledged.size === 0 ? eventRequest(project, newEventId()) : undefined),
    onAnswer: ({ id }) => acknowledged.add(id),
  });
  client.close();
  assert.is(await server.stop(), 0);

  for (let round = 1; round <= stops; round++) {
    const dataDir = server.dataDir;
    addOldEvents(dataDir, 20_000);
    server = await startServer({ dataDir, env });
    client = grpcClient(server);
    const where = `round ${round}`;

    const watching = watch(client, project);
    const page = await livePage(server, project);
    const upload = await slowUpload(server, project);
    const head = await slowHead(server);
    const idle = await openSocket(server);
    idle.write("GET /-/health HTTP/1.1\r\nHost: faultline.test\r\n\r\n");
    assert.is((await idle.answer())?.status, 200);
    const asked = http(`${server.url}/api/v4/projects/${silentId}/error_tracking/errors`, {
      headers: { "PRIVATE-TOKEN": rootToken },
    });
    const heard: number[] = [];
    const readiness = watchReadiness(server, heard);
    const clients = busyClients(server, project, () => !heard.includes(503));
    await until("the load", () => clients.statuses.size > 20);
    await delay(random() * 400);

    const time = stopwatch();
    const stopped = server.stop();
    if (round === 1) {
      await until("the stop to begin", () => heard.includes(503));
      // The first step of a second instance. Starting one would take longer than the stop on a slow machine.
      const refusal: unknown = await claimDataDirectory(dataDir).catch((error: unknown) => error);
      assert.match(String(refusal), "Another Faultline is running");
    }
    assert.is(await stopped, 0, `${where}: ${server.output()}`);
    bound("a stop under load", time(), { atMost: 10_000 }); // service managers kill after it
    await clients.ended;
    await readiness;
    const uploaded = await upload.answer();
    upload.end();
    head.end();
    idle.destroy();
    client.close();

    const unanswered = [...clients.sent].filter((id) => !clients.statuses.has(id));
    assert.equal(unanswered, [], `${where}: sent whole and not answered`);
    assert.equal(
      [...new Set(clients.statuses.values())].filter((status) => status !== 200 && status !== 503),
      [],
    );
    const askedStatus = (await asked).status;
    assert.ok([502, 503].includes(askedStatus), `${where}: an external system that hangs: ${askedStatus}`);
    assert.is(uploaded?.status, 503, `${where}: an upload that does not end`);
    assert.match(uploaded?.head ?? "", /^retry-after: 5$/im);
    assert.ok(heard.includes(503), `${where}: readiness said no before it was gone`);
    assert.equal(heard.slice(heard.indexOf(503)).includes(200), false);
    assert.is(await watching.ended, 14, `${where}: the watch ends as UNAVAILABLE`);
    assert.is(await page.ended, "ended", `${where}: the live stream of a page`);
    for (const [id, answer] of clients.statuses) if (answer === 200) acknowledged.add(id);
    if (round % 10 === 0) console.log(`${round} stops, ${acknowledged.size} events acknowledged`);
  }

  server = await startServer({ dataDir: server.dataDir, env });
  client = grpcClient(server);
  const stored = await storedIds(client, project);
  assert.equal(
    [...acknowledged].filter((id) => !stored.has(id)),
    [],
    "acknowledged and lost",
  );
  client.close();
  assert.is(await server.stop(), 0);
  using database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  assert.equal(recount(database), []);
});

for (const [first, second, code] of [
  ["SIGTERM", "SIGTERM", 143],
  ["SIGTERM", "SIGINT", 130],
  ["SIGINT", "SIGTERM", 143],
] as const)
  test(`a ${second} after a ${first} ends it immediately`, async () => {
    const server = await startServer();
    const project = await createProject(server);
    const upload = await slowUpload(server, project); // for which a stop waits
    await until("the upload", async () => (await http(`${server.url}/-/readiness`)).status === 200);
    const stopped = server.stop(first);
    await until("the stop to begin", async () => {
      const answer = await http(`${server.url}/-/health`).catch(() => undefined);
      return answer === undefined; // it listens no more, and the upload is still waited for
    });
    process.kill(server.pid, second);
    assert.is(await stopped, code);
    upload.end();
  });

test.run();
