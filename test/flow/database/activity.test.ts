import { ActivityKind, DeletionState, ErrorStatus, Role, type ActivityEntry } from "@faultline/proto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../../support/assert/assert-answer.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { newMember, newPerson, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql } from "../../support/database/other-process.ts";
import { countOf, rowsOf } from "../../support/database/stored-rows.ts";
import { rest } from "../../support/rest/rest.ts";
import { reported } from "../../support/run/reported.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";

/** What happened to an error, when, and who did it. */

const { RESOLVED, IGNORED, UNRESOLVED } = ErrorStatus;

let server: Server;
let client: GrpcClient;
let project: Project;
let anna: Person;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
  }),
);
test.before.each(async () => {
  project = await createProject(server);
  anna = await newMember(client, project.id, Role.MAINTAINER);
});
test.after(async () => {
  client?.close();
  await server?.stop();
});

/** Sends an event of the error of that name; the error's id. */
async function send(message: string, release: string): Promise<string> {
  const event = { event_id: newEventId(), message, fingerprint: [message], release };
  assert.is((await sendEvent(server, project, event)).status, 200);
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: message }, client.auth);
  return errors[0]?.errorId ?? "";
}

const set = (errorId: string, status: ErrorStatus, by: Person = anna) =>
  client.errors.updateErrors({ projectId: project.id, changes: [{ errorId, status }] }, by);

const listed = async (errorId: string) =>
  (await client.activity.listErrorActivity({ projectId: project.id, errorId }, anna)).entries;

const inWords = ({ kind, actor, status, release }: ActivityEntry) =>
  [kindNames[kind], statusNames[status], actor && actor.replace(anna.username, "anna"), release]
    .filter(Boolean)
    .join(" ");

const kindNames: Readonly<Record<ActivityKind, string>> = {
  [ActivityKind.UNSPECIFIED]: "?",
  [ActivityKind.CREATED]: "created",
  [ActivityKind.REOPENED]: "reopened",
  [ActivityKind.STATUS_CHANGED]: "set",
  [ActivityKind.DELETED]: "deleted",
  [ActivityKind.RESTORED]: "restored",
  [ActivityKind.OTHER]: "other",
};
const statusNames: Readonly<Record<ErrorStatus, string>> = {
  [ErrorStatus.UNSPECIFIED]: "?",
  [UNRESOLVED]: "unresolved",
  [RESOLVED]: "resolved",
  [IGNORED]: "ignored",
};

const words = async (errorId: string) => (await listed(errorId)).map(inWords);

test("each change is listed immediately, newest first, with its person, or with the release that brought the error back", async () => {
  const before = Date.now();
  const errorId = await send("cart", "shop@1.4.0");
  await set(errorId, RESOLVED);
  await set(errorId, RESOLVED); // changes nothing
  await send("cart", "shop@1.4.1");
  await send("cart", "shop@1.4.1"); // nor does this
  await set(errorId, IGNORED, { ...client.auth, username: "root" } as Person);
  const expected = [
    "set ignored root",
    "reopened unresolved shop@1.4.1",
    "set resolved anna",
    "created unresolved shop@1.4.0",
  ];
  assert.equal(await words(errorId), expected);
  await until("the plugin to have stored all", async () => (await stored()) >= 3);
  const entries = await listed(errorId);
  assert.equal(entries.map(inWords), expected, "the same when they are stored");
  const times = entries.map(({ time }) => (time ? timestampMs(time) : 0));
  assert.equal(
    times,
    times.toSorted((one, other) => other - one),
  );
  assert.ok(
    times.every((at) => at >= before - 1_000 && at <= Date.now()),
    times.join(),
  );
});

const stored = async () => countOf(server.dataDir, `activity_entry where project_id = ${project.id}`);

test("a bulk update and its undo are the acts of their people", async () => {
  const errorId = await send("many", "");
  const bob = await newMember(client, project.id, Role.MAINTAINER);
  const asked = { projectId: project.id, newStatus: RESOLVED, expectedCount: 1 };
  const { bulkUpdate } = await client.bulkUpdates.createBulkUpdate(asked, anna);
  const { bulkUpdateId = 0 } = bulkUpdate ?? {};
  await client.bulkUpdates.undoBulkUpdate({ projectId: project.id, bulkUpdateId }, bob);
  await until("the undo", async () => (await listed(errorId)).length === 3);
  assert.equal(await words(errorId), [`set unresolved ${bob.username}`, "set resolved anna", "created unresolved"]);
});

test("a deletion and its undo are the acts of their people", async () => {
  const errorId = await send("gone", "");
  const bob = await newMember(client, project.id, Role.MAINTAINER);
  const target = { case: "errors" as const, value: { errorIds: [errorId] } };
  const { deletion } = await client.deletions.createDeletion({ projectId: project.id, target }, anna);
  const named = { projectId: project.id, errorId };
  await refusedBecause("ERROR_NOT_FOUND", client.activity.listErrorActivity(named, anna));
  const { deletionId = 0 } = deletion ?? {};
  await client.deletions.undoDeletion({ projectId: project.id, deletionId }, bob);
  await until("the restoration", async () => {
    const { deletion: now } = await client.deletions.getDeletion({ projectId: project.id, deletionId }, anna);
    return now?.state === DeletionState.RESTORED;
  });
  assert.equal(await words(errorId), [
    `restored unresolved ${bob.username}`,
    "deleted unresolved anna",
    "created unresolved",
  ]);
});

test("pages follow each other, also by REST, while new entries come", async () => {
  const errorId = await send("pages", "");
  for (const status of [RESOLVED, UNRESOLVED, IGNORED]) await set(errorId, status);
  const asked = { projectId: project.id, errorId, pageSize: 2 };
  const first = await client.activity.listErrorActivity(asked, anna);
  await set(errorId, UNRESOLVED);
  const second = await client.activity.listErrorActivity({ ...asked, pageToken: first.nextPageToken }, anna);
  assert.equal([...first.entries, ...second.entries].map(inWords), [
    "set ignored anna",
    "set unresolved anna",
    "set resolved anna",
    "created unresolved",
  ]);
  assert.is(second.nextPageToken, "");
  const address = `GET /projects/${project.id}/error_tracking/errors/${errorId}/activity` as const;
  const { json } = await answered(rest(server, address, { token: anna.token }), 200);
  const [newest] = json as Record<string, unknown>[];
  assert.equal(
    [newest?.["kind"], newest?.["actor"], newest?.["status_before"], newest?.["status"], newest?.["release"]],
    ["status_changed", anna.username, "ignored", "unresolved", null],
  );
});

test("reporters read it like the error, and strangers learn nothing", async () => {
  const errorId = await send("rights", "");
  const named = { projectId: project.id, errorId };
  const reporter = await newMember(client, project.id, Role.REPORTER);
  assert.is((await client.activity.listErrorActivity(named, reporter)).entries.length, 1);
  await refusedBecause("PROJECT_NOT_FOUND", client.activity.listErrorActivity(named, await newPerson(client)));
  const other = await createProject(server);
  await refusedBecause(
    "ERROR_NOT_FOUND",
    client.activity.listErrorActivity({ projectId: other.id, errorId }, client.auth),
  );
});

test("the newest 1,000 changes of an error are kept, and its first event is listed for ever", async () => {
  const errorId = await send("busy", "shop@1.4.0");
  await execSql(
    server.dataDir,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
      insert into activity_entry (project_id, error_id, at, kind, actor, status_before, status, release)
      select ${project.id}, '${errorId}', n, 'status', 'n ' || n, ${RESOLVED}, ${UNRESOLVED}, '' from numbers`,
  );
  const oldest = async () => {
    const [row] = await rowsOf(
      server.dataDir,
      `select min(at) as at, count(*) as n from activity_entry where project_id = ${project.id}`,
    );
    return [Number(row?.["at"]), Number(row?.["n"])];
  };
  assert.equal(await oldest(), [1, 1_000]);
  await set(errorId, RESOLVED);
  await until("the oldest to go", async () => (await oldest())[0] === 2);
  assert.equal(await oldest(), [2, 1_000]);
  const asked = { projectId: project.id, errorId, pageSize: 100 };
  const all: ActivityEntry[] = [];
  for (let pageToken = ""; ;) {
    const page = await client.activity.listErrorActivity({ ...asked, pageToken }, anna);
    all.push(...page.entries);
    ({ nextPageToken: pageToken } = page);
    if (pageToken === "" || all.length > 2_000) break;
  }
  assert.equal(
    [all.length, ...[all[0], all[1], all.at(-2), all.at(-1)].map((entry) => entry && inWords(entry))],
    [1_001, "set resolved anna", "set unresolved n 1000", "set unresolved n 2", "created unresolved shop@1.4.0"],
  );
});

test("changes are listed once each when the service is killed right after them", async () => {
  const errorId = await send("killed", "");
  for (const status of [RESOLVED, IGNORED]) await set(errorId, status);
  await server.kill9();
  server = await startServer({ dataDir: server.dataDir });
  client.close();
  client = grpcClient(server);
  const expected = ["set ignored anna", "set resolved anna", "created unresolved"];
  assert.equal(await words(errorId), expected);
  await until("the plugin to have stored all", async () => (await stored()) >= 2);
  assert.equal([await words(errorId), await stored()], [expected, 2]);
});

test.run();
