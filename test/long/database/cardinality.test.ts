// limit: 240 s
import { Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { http } from "../../support/http/http.ts";
import { execSql } from "../../support/database/other-process.ts";
import { newEventId, sendEvent, sendStore, type Target } from "../../support/sentry/send.ts";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { makeProject } from "../../flow/database/members/people.ts";

/** The errors, tags and users that a stranger with a DSN may send. The clock stops unless a test moves it. */

const minuteMs = 60_000;
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const config = testConfig(tempDir());
let faultline = await startFaultline(config, clock);
let client = grpcClient(faultline);

async function stop(): Promise<void> {
  client.close();
  await faultline.stop();
}

async function restart(): Promise<void> {
  await stop();
  faultline = await startFaultline(config, clock);
  client = grpcClient(faultline);
}
test.after(stop);

/** A project that takes events. */
async function openProject(path: string): Promise<Target & { readonly keyId: number }> {
  const id = await makeProject(client, path);
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "", keyId: clientKeys[0]?.keyId ?? 0 };
}

const server = () => ({ url: faultline.httpUrl });

async function inLanes(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/** Sends events of as many errors, from one number on, by the store and the envelope door in turn. */
function sendNew(project: Target, from: number, count: number): Promise<void> {
  return inLanes(count, async (n) => {
    const type = `New${from + n}`;
    const event = { event_id: newEventId(), exception: { values: [{ type, value: "attack" }] } };
    const { status, text } = await (n % 2 === 0 ? sendStore : sendEvent)(server(), project, event);
    assert.is(status, 200, text);
  });
}

/** Sends a hundred reports of a browser in one request, each of another address. */
async function sendReports(project: Target, from: number): Promise<void> {
  const reports = Array.from({ length: 100 }, (_, n) => ({
    type: "csp-violation",
    body: { effectiveDirective: "img-src", blockedURL: `https://host${from + n}.example/x.png` },
  }));
  const { status, text } = await http(`${faultline.httpUrl}/api/${project.id}/security/?sentry_key=${project.key}`, {
    method: "POST",
    headers: { "Content-Type": "application/reports+json" },
    body: JSON.stringify(reports),
  });
  assert.ok(status === 200 || status === 201, text);
}

/** The number of a project's errors, and the number of events in its "Other errors". */
async function counted({ id }: Target): Promise<{ errors: number; others: number }> {
  const [row] = await rowsOf(
    config.dataDir,
    `select count(*) as errors, sum(case when title = 'Other errors' then event_count else 0 end) as others,
      sum(case when title = 'Other errors' then 1 else 0 end) as other_errors
    from integrated_error where project_id = ${id}`,
  );
  return { errors: Number(row?.["errors"]) - Number(row?.["other_errors"]), others: Number(row?.["others"]) };
}

test("of 3,000 new errors 300 become errors, the others are one, and no event is lost", async () => {
  const project = await openProject("flooded");
  const sendReal = () =>
    inLanes(5, async () => {
      const answer = await sendEvent(server(), project, { event_id: newEventId(), message: "the real application" });
      assert.is(answer.status, 200, answer.text);
    });
  await sendReal();
  await sendNew(project, 0, 3_000);
  await sendReal();

  const errors = await storedErrors(client, project.id);
  assert.is(errors.length, 301, "300, one of them real, and the others");
  assert.is(
    errors.reduce((sum, error) => sum + error.eventCount, 0),
    3_010,
  );
  assert.is(errors.find(({ title }) => title === "the real application")?.eventCount, 10);
  const others = errors.filter(({ holdsOtherErrors }) => holdsOtherErrors);
  assert.equal(
    others.map(({ title, eventCount }) => [title, eventCount]),
    [["Other errors", 2_701]],
  );
  const [other] = others;
  assert.match(other?.value ?? "", /^More than 100 new errors in a minute, or 10,000 in a day: /);

  const { events } = await client.errors.listEvents(
    { projectId: project.id, errorId: other?.errorId ?? "", pageSize: 100 },
    client.auth,
  );
  assert.is(new Set(events.map(({ title }) => title)).size, 100, "each event keeps its own title");
  const [first] = events;
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId: first?.eventId ?? "" }, client.auth);
  assert.is(`${event?.exceptions[0]?.type}: attack`, first?.title);
  assert.is((await storedEventIds(client, project.id, other?.errorId ?? "")).length, 2_701);
  assert.equal(await recountOf(config.dataDir), []);
});

test("a minute later there is room for 100 more, and one of the others becomes a separate error", async () => {
  const project = await openProject("patient");
  await sendNew(project, 0, 310);
  assert.equal(await counted(project), { errors: 300, others: 10 });
  await restart();
  await sendNew(project, 310, 5);
  assert.equal(await counted(project), { errors: 300, others: 15 }, "a restart makes no room");

  clock.at += minuteMs;
  await sendNew(project, 310, 120);
  assert.equal(await counted(project), { errors: 400, others: 35 });
  assert.ok((await storedErrors(client, project.id, "error.type:New310")).length === 1);
});

test("a service that reports over gRPC makes as many errors as it names, and takes no room from applications", async () => {
  const project = await openProject("imported");
  await report(project, 1_000, (n) => ({ fingerprint: [`imported ${n}`] }));
  await sendNew(project, 0, 301);
  assert.equal(await counted(project), { errors: 1_300, others: 1 });
});

interface Reported {
  readonly fingerprint?: string[];
  readonly user?: string;
  readonly tags?: Record<string, string>;
  readonly release?: string;
}

/** Reports events over gRPC, all of one error unless they say otherwise. */
async function report(project: Target, count: number, fieldsOf: (n: number) => Reported): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({
      projectId: project.id,
      eventId: newEventId(),
      fingerprint: ["one"],
      title: "Boom",
      payload: Buffer.from(`{"message":"boom"}`),
      ...fieldsOf(from + n),
    }));
    await client.ingest.reportEvents({ events }, client.auth);
  }
}

const finds = async (project: Target, query: string) => (await storedErrors(client, project.id, query)).length > 0;

test("an error is found by 1,000 values of a tag; further ones are counted and still shown with their event", async () => {
  const project = await openProject("request-ids");
  const tagsOf = (n: number) => ({ request_id: `request ${n}`, region: n % 2 === 0 ? "eu" : "us" });
  await report(project, 900, (n) => ({ tags: tagsOf(n) }));
  assert.is((await storedErrors(client, project.id))[0]?.otherTagCount, 0);
  await report(project, 300, (n) => ({ tags: tagsOf(n + 900) }));

  const [error] = await storedErrors(client, project.id);
  assert.equal([error?.eventCount, error?.otherTagCount], [1_200, 200]);
  const indexed = await rowsOf(
    config.dataDir,
    `select t.value from integrated_tag t join integrated_error e on e.id = t.error_id
    where e.project_id = ${project.id} and t.key = 'request_id'`,
  );
  assert.is(indexed.length, 1_000);
  assert.ok(await finds(project, `request_id:"request 0"`), "what was there first stays");
  assert.ok(
    (await finds(project, "region:eu")) && (await finds(project, "region:us")),
    "other keys have their own room",
  );
  await report(project, 1, () => ({ tags: { region: "asia" } }));
  assert.ok(await finds(project, "region:asia"));

  const event = { event_id: newEventId(), fingerprint: ["one"], message: "boom", tags: { request_id: "beyond" } };
  assert.is((await sendStore(server(), project, event)).status, 200);
  const shown = await client.errors.getEvent({ projectId: project.id, eventId: event.event_id }, client.auth);
  assert.is(shown.event?.tags["request_id"], "beyond");
  assert.not(await finds(project, "request_id:beyond"));
  assert.equal(await recountOf(config.dataDir), []);
});

test("an error is found by 200 tag keys; further ones are counted", async () => {
  const project = await openProject("tag-keys");
  const keys = (from: number) => Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${from + n}`, "x"]));
  for (const from of [0, 100, 200]) await report(project, 1, () => ({ tags: keys(from), release: "1.0" }));
  const [error] = await storedErrors(client, project.id);
  assert.is(error?.otherTagCount, 101, "the release is a key too");
  assert.ok((await finds(project, "key0:x")) && (await finds(project, "release:1.0")));
  await rejects(finds(project, "key299:x"), "INVALID_ARGUMENT");
  await report(project, 1, () => ({ tags: { key0: "another value" } }));
  assert.ok(await finds(project, `key0:"another value"`), "a key that is there takes further values");
  assert.equal(await recountOf(config.dataDir), []);
});

test("100,000 users of an error are counted; the others are said to be there", async () => {
  const project = await openProject("many-users");
  await report(project, 100, (n) => ({ user: `id:${n}` }));
  const [{ errorId } = { errorId: "" }] = await storedErrors(client, project.id);
  await addUsers(errorId, 99_895); // by the door they take a minute
  assert.is((await storedErrors(client, project.id))[0]?.affectedUserCount, 99_995);
  await report(project, 11, (n) => ({ user: `id:late ${n}` }));
  await report(project, 50, (n) => ({ user: `id:${n}` }));
  const [error] = await storedErrors(client, project.id);
  assert.equal([error?.eventCount, error?.affectedUserCount, error?.otherUserCount], [161, 100_000, 6]);
  const users = await rowsOf(config.dataDir, `select count(*) as n from integrated_user where error_id = ${errorId}`);
  assert.is(Number(users[0]?.["n"]), 100_000);
});

/** Writes users of an error as if as many events had named them. */
async function addUsers(errorId: string, count: number): Promise<void> {
  const numbers = `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})`;
  const isPostgresql = databaseOf(config.dataDir) !== undefined;
  const sql = isPostgresql
    ? `insert into integrated_user (project_id, error_id, "user", last_seen_day) ${numbers} select project_id, id, 'id:made ' || n, 20000 from integrated_error, n where id = ${errorId};
      update integrated_error set user_count = user_count + ${count} where id = ${errorId}`
    : `insert into integrated_user (error_id, user, last_seen_day) ${numbers} select ${errorId}, 'id:made ' || n, 20000 from n`;
  await execSql(config.dataDir, sql);
}

test("an event remembers the client key it came with; one that a service reported has none, whatever it says", async () => {
  const project = await openProject("keyed");
  const eventId = newEventId();
  assert.is((await sendEvent(server(), project, { event_id: eventId, message: "keyed" })).status, 200);
  const reported = { projectId: project.id, eventId: newEventId(), title: "Boom", keyId: project.keyId };
  await client.ingest.reportEvents({ events: [reported] }, client.auth);
  const keyOf = async (id: string) =>
    (await client.errors.getEvent({ projectId: project.id, eventId: id }, client.auth)).event?.clientKeyId;
  assert.ok(project.keyId > 0);
  assert.equal([await keyOf(eventId), await keyOf(reported.eventId)], [project.keyId, 0]);
});

test("the limit of a day outlives a restart and ends with the day", async () => {
  const project = await openProject("persistent");
  await sendReports(project, 0);
  // As after 9,900 errors, which take a minute to send.
  await execSql(config.dataDir, `update integrated_new_error set error_count = 9900 where project_id = ${project.id}`);
  await restart();
  clock.at += minuteMs;
  await sendReports(project, 100);
  assert.equal(await counted(project), { errors: 200, others: 0 });
  clock.at += minuteMs;
  await sendReports(project, 200);
  assert.equal(await counted(project), { errors: 200, others: 100 });
  await restart();
  clock.at += 5 * minuteMs;
  await sendReports(project, 300);
  assert.equal(await counted(project), { errors: 200, others: 200 });
  clock.at = Date.UTC(2026, 0, 11);
  await sendReports(project, 400);
  assert.equal(await counted(project), { errors: 300, others: 200 });
});

test.run();
