// limit: 240 s
import { test } from "uvu";
import * as assert from "uvu/assert";
import { databaseOf } from "../../support/database/database-of.ts";
import { runningServer } from "../../support/service/flow.ts";
import { execSql } from "../../support/database/other-process.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { envelope, newEventId, sendEnvelope } from "../../support/sentry/send.ts";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";

const { server, client } = await runningServer();

/** All sessions of this file start at one time, so that they are of one day. */
const started = new Date().toISOString();
/** The parts of an envelope that are read (docs/limits.md): items, buckets of an item, and buckets of all of them. */
const itemsAtOnce = 100;
const bucketsAtOnce = 100;
const bucketsTogether = 300;

interface Counted {
  readonly release?: string;
  readonly environment?: string;
  readonly users?: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
}

/** The items of sessions that an SDK counted, one a release and environment, with a bucket a user. */
function items({ release = "web@1", environment = "prod", users, counts = { exited: 1 } }: Counted) {
  const buckets = users?.map((did) => ({ started, did, ...counts })) ?? [{ started, ...counts }];
  const attrs = { release, environment };
  return Array.from({ length: Math.ceil(buckets.length / bucketsAtOnce) }, (_, n) => {
    const aggregates = buckets.slice(n * bucketsAtOnce, (n + 1) * bucketsAtOnce);
    return [{ type: "sessions" }, { aggregates, attrs }] as const;
  });
}

async function send(project: Project, ...counted: Counted[]): Promise<void> {
  const all = counted.flatMap(items);
  const most = Math.max(...all.map(([, { aggregates }]) => aggregates.length));
  const atOnce = Math.min(itemsAtOnce, Math.floor(bucketsTogether / most));
  for (let sent = 0; sent < all.length; sent += atOnce) {
    const text = envelope(undefined, ...all.slice(sent, sent + atOnce));
    const answer = await sendEnvelope(server, project, text);
    assert.is(answer.status, 200, answer.text);
  }
}

/** An update of a session with an id. */
async function sendSession(project: Project, sid: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const update = { sid, started, attrs: { release: "web@1", environment: "prod" }, ...fields };
  const answer = await sendEnvelope(server, project, envelope(undefined, [{ type: "session" }, update]));
  assert.is(answer.status, 200, answer.text);
}

/**
 * Gives a release further users with a session each, like ingestion, which would take 170 requests for 50,000 users.
 * The recounts check what it writes.
 */
async function addUsers({ id: projectId }: Project, version: string, count: number): Promise<void> {
  const release = `(select id from integrated_release where project_id = ${projectId} and version = '${version}')`;
  const ofProject = databaseOf(server.dataDir) === undefined ? "" : "project_id, ";
  const columns = `${ofProject}release_id, day, session_count, crashed_count`;
  await execSql(
    server.dataDir,
    `insert into integrated_session_user (${columns}, "user")
      with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})
      select ${columns}, 'added-' || n
      from n, (select * from integrated_session_user where release_id = ${release} limit 1) as known;
    update integrated_session_hour set total = total + ${count} where release_id = ${release};
    delete from integrated_session_day where project_id = ${projectId} -- the next user has them counted`,
  );
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
const crashed = { crashed: 1 };

async function totals({ id }: Project, fields: { environment?: string; version?: string } = {}) {
  const { hours } = await client.releases.getSessionStats({ projectId: id, ...fields }, client.auth);
  const sum = (kind: "total" | "crashed") => hours.reduce((all, hour) => all + hour[kind], 0);
  return [sum("total"), sum("crashed")];
}

const list = ({ id }: Project, fields: { environment?: string } = {}) =>
  client.releases.listReleases({ projectId: id, pageSize: 100, ...fields }, client.auth);

/** The release in the list: sessions, crashed ones, users, crashed users, and whether there were more users. */
async function listed(project: Project, version: string) {
  let pageToken = "";
  do {
    const page = await client.releases.listReleases({ projectId: project.id, pageSize: 100, pageToken }, client.auth);
    const found = page.releases.find((release) => release.version === version);
    if (found) {
      const { sessions, userCount, crashedUserCount, moreUsers } = found;
      return [sessions?.total, sessions?.crashed, userCount, crashedUserCount, moreUsers];
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return undefined;
}

async function releaseRows({ id }: Project): Promise<number> {
  const [row] = await rowsOf(
    server.dataDir,
    `select count(*) as n from integrated_release where project_id = ${id} and version <> ''`,
  );
  return Number(row?.["n"]);
}

test("a project has 10,000 releases; sessions of further ones are counted together, and none is lost", async () => {
  const project = await createProject(server);
  await send(project, ...names("web", 9_990).map((release) => ({ release })));
  await send(project, ...names("app", 60).map((release) => ({ release, counts: crashed }))); // across the limit
  assert.is(await releaseRows(project), 10_000);
  assert.equal(await totals(project), [10_050, 60]);

  await send(project, { release: "web-7" }, { release: "app-59" }, { release: "late", users: ["ann"] });
  await sendSession(project, newEventId(), { status: "crashed", did: "bob", attrs: { release: "late" } });
  assert.equal(await totals(project, { version: "web-7" }), [2, 0]);
  assert.equal(await listed(project, ""), [53, 51, 2, 1, false], "with its own users");
  assert.is(await releaseRows(project), 10_000);

  const page = await list(project, { environment: "prod" });
  assert.equal([page.hasOtherReleases, page.environments], [true, ["prod"]]);
  assert.not(page.releases.some(({ otherReleases }) => otherReleases));
  assert.equal(await recountOf(server.dataDir), []);
});

test("a project has 100 environments; sessions in further ones are in none, and none is lost", async () => {
  const project = await createProject(server);
  await send(project, ...names("env", 103).map((environment) => ({ environment })));
  await send(project, { environment: "env-150", release: "web@2" }, { environment: "env-1", release: "web@2" });
  assert.equal(await totals(project), [105, 0]);
  const { environments, hasOtherReleases, releases } = await list(project);
  assert.is(environments.length, 100);
  assert.is(hasOtherReleases, true);
  assert.equal(
    releases.map(({ version, otherReleases, sessions }) => [version, otherReleases, sessions?.total]).toSorted(),
    [
      ["", true, 4],
      ["web@1", false, 100],
      ["web@2", false, 1],
    ],
  );
  assert.equal((await list(project, { environment: "" })).releases, [], "none named is another thing");
  assert.equal(await totals(project, { environment: "" }), [0, 0]);
  assert.equal(await recountOf(server.dataDir), []);

  const { json } = await rest(server, `GET /projects/${project.id}/error_tracking/releases`);
  const others = (json as Record<string, unknown>[]).find((release) => release["other_releases"]);
  assert.equal([others?.["version"], others?.["url"], others?.["more_users"]], ["", null, false]);
});

test("50,000 users of a release and 100,000 of a project are counted separately per day; sessions of others are counted", async () => {
  const project = await createProject(server);
  await send(project, { users: names("user", 100) });
  await addUsers(project, "web@1", 49_800);
  assert.equal(await listed(project, "web@1"), [49_900, 0, 49_900, 0, false]);
  await send(project, { users: names("late", 300), counts: crashed }); // across the limit
  assert.equal(await listed(project, "web@1"), [50_200, 300, 50_000, 100, true]);

  await send(project, { users: ["user-1", "unknown", "another"], counts: crashed });
  assert.equal(await listed(project, "web@1"), [50_203, 303, 50_000, 101, true], "those known are still known");
  const { releases } = await list(project);
  assert.is(releases[0]?.crashFreeUsers, 100 * (1 - 101 / 50_000));

  const [sid, other] = [newEventId(), newEventId()];
  await sendSession(project, sid, { did: "somebody", status: "ok", seq: 0 });
  await sendSession(project, sid, { did: "somebody", status: "crashed", seq: 1 });
  await sendSession(project, other, { status: "crashed", seq: 0 });
  assert.equal(await listed(project, "web@1"), [50_205, 305, 50_000, 101, true]);
  const [others] = await rowsOf(
    server.dataDir,
    `select u.session_count, u.crashed_count from integrated_session_user u
      join integrated_release r on r.id = u.release_id where r.project_id = ${project.id} and "user" = ''`,
  );
  assert.equal([others?.["session_count"], others?.["crashed_count"]].map(Number), [203, 203]);

  await send(project, { release: "web@2", users: names("user", 100) });
  await addUsers(project, "web@2", 49_800);
  await send(project, { release: "web@2", users: names("more", 100) }); // up to the limit of the project
  assert.equal(await listed(project, "web@2"), [50_000, 0, 50_000, 0, false]);
  await send(project, { release: "web@3", users: names("user", 10) });
  assert.equal(await listed(project, "web@3"), [10, 0, 0, 0, true]);
  assert.equal(await recountOf(server.dataDir), []);

  // As the version before left it: what is there is counted when the first user comes.
  await execSql(server.dataDir, `delete from integrated_session_day where project_id = ${project.id}`);
  await send(project, { users: ["new-1"] }, { release: "web@3", users: ["new-2"] });
  assert.equal(await listed(project, "web@1"), [50_206, 305, 50_000, 101, true]);
  assert.equal(await listed(project, "web@3"), [11, 0, 0, 0, true]);
  assert.equal(await recountOf(server.dataDir), []);
});

test.run();
