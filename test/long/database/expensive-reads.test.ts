import { request } from "node:http";
import { ErrorReason, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { execSql } from "../../support/database/other-process.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { readPrometheusText } from "../../support/assert/prometheus-text.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootToken } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";
import { webApi } from "../../support/external/web-api.ts";

const { server, client } = await runningServer();
const heavy = await createProject(server);
const light = await createProject(server);
for (const project of [heavy, light]) {
  const answer = await sendEvent(server, project, { event_id: newEventId(), message: "Something failed" });
  assert.is(answer.status, 200, answer.text);
}
const victim = await newMember(client, light.id, Role.REPORTER);

/**
 * Makes a search of the project take far longer than three seconds on any machine, with errors whose texts are longer
 * than ingestion accepts. With accepted texts, it would take 50,000 errors. They have every three letters of the
 * search, so its index excludes none of them. SQLite compares from a text's first letter and PostgreSQL from its last
 * letter, so both look at 190 letters in 65,536 places.
 */
const isOnSqlite = databaseOf(server.dataDir) === undefined;
await execSql(
  server.dataDir,
  `insert into integrated_error (project_id, group_hash, grouping_version, title, type, value, culprit, level, platform,
     status, event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
   with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500)
   select project_id, ${isOnSqlite ? "randomblob(16)" : "uuid_send(gen_random_uuid())"}, grouping_version, title, type,
     ${isOnSqlite ? "replace(hex(zeroblob(32768)), '0', 'a')" : "repeat('a', 65536)"} || 'baazqaa', culprit, level, platform, status,
     1, 0, first_seen_at, last_seen_at, first_release, last_release
   from integrated_error, n where project_id = ${heavy.id}`,
);
const slowQuery = isOnSqlite ? `${"a".repeat(190)}zq` : `zq${"a".repeat(190)}`;

/** The reads so far, by their end, and the reads that run or wait. */
async function reads(): Promise<Record<string, number>> {
  const families = readPrometheusText((await http(`${server.url}/-/metrics`)).text);
  const ended = families.get("faultline_expensive_reads_total")?.samples ?? new Map<string, number>();
  const underWay = families
    .get("faultline_expensive_reads_under_way")
    ?.samples.get("faultline_expensive_reads_under_way");
  return {
    ...Object.fromEntries([...ended].map(([name, count]) => [/end="(\w+)"/.exec(name)?.[1] ?? name, count])),
    underWay: underWay ?? 0,
  };
}

/** The reads that ended during `act`. */
async function endsOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await reads();
  await act();
  await until("no read to be under way", async () => (await reads())["underWay"] === 0);
  const added = Object.entries(await reads()).map(([end, count]) => [end, count - (before[end] ?? 0)] as const);
  return Object.fromEntries(added.filter(([end, count]) => end !== "underWay" && count > 0));
}

/** Sends a request, and leaves without an answer when it is aborted. */
function abandonable(path: string, headers: Record<string, string> = { "PRIVATE-TOKEN": rootToken }): () => void {
  const sent = request(server.url + path, { headers, agent: false });
  sent.on("error", () => undefined); // it is ended by ourselves
  sent.end();
  return () => sent.destroy();
}

const searchOf = (query: string) => `/projects/${heavy.id}/error_tracking/errors?query=${query}`;
const lightSearch = () => rest(server, `GET /projects/${light.id}/error_tracking/errors?query=failed`, victim);

test("of 40 searches whose callers leave immediately none is made, and another user's search waits for none", async () => {
  const ends = await endsOf(async () => {
    const leave = Array.from({ length: 40 }, () => abandonable(`/api/v4${searchOf(slowQuery)}`));
    await until("all to have arrived", async () => (await reads())["refused"] === 34);
    const { status, headers, json } = await rest(server, `GET ${searchOf("failed")}`);
    assert.is(status, 429);
    assert.is(headers["retry-after"], "3");
    assert.match((json as { message: string }).message, /^You have 6 searches .* in progress\. Wait /);
    for (const one of leave) one();
    assert.is((await lightSearch()).status, 200);
  });
  assert.equal(ends, { refused: 35, left: 6, answered: 1 });
});

test("another user's search is answered while one user's searches run and wait", async () => {
  const attack = new AbortController();
  const order: string[] = [];
  const searches = Array.from({ length: 6 }, () =>
    client.errors
      .listErrors(
        { projectId: heavy.id, query: slowQuery },
        { ...client.auth, signal: attack.signal, timeoutMs: 60_000 },
      )
      .catch(() => order.push("attack")),
  );
  await until("them to be under way", async () => (await reads())["underWay"] === 6);
  assert.is((await lightSearch()).status, 200);
  order.push("victim");
  assert.is(
    (await rest(server, `GET /projects/${heavy.id}/error_tracking/errors`)).status,
    200,
    "a list without words",
  );
  order.push("list");
  assert.equal(order, ["victim", "list"]);
  attack.abort();
  await Promise.all(searches);
  await until("all to have left", async () => (await reads())["underWay"] === 0);
});

test("a search that takes longer than three seconds is ended, and says what to search for instead", async () => {
  const ends = await endsOf(async () => {
    const { status, json } = await rest(server, `GET ${searchOf(slowQuery)}`);
    assert.is(status, 422);
    const { message } = json as { message: string };
    assert.is(
      message,
      "This took longer than 3 s and was canceled. Search by a key instead of free words, such as type:TypeError or environment:production.",
    );
    const search = client.errors.listErrors({ projectId: heavy.id, query: slowQuery }, client.auth);
    assert.is((await rejects(search, "RESOURCE_EXHAUSTED")).reason, ErrorReason.READ_TOO_EXPENSIVE);
    const issues = await webApi(server, `GET /projects/-/${heavy.path}/issues/?query=${slowQuery}`);
    assert.is(issues.status, 422, issues.text);
  });
  assert.equal(ends, { too_long: 3 });
  assert.not.match(server.output(), /"level":50/);
  assert.not.match(server.output(), /background/);
});

const doors: Record<string, (cookie: string) => () => void> = {
  REST: () => abandonable(`/api/v4${searchOf(slowQuery)}`),
  "the API under /api/0": () =>
    abandonable(`/api/0/projects/-/${heavy.path}/issues/?query=${slowQuery}`, {
      Authorization: `Bearer ${rootToken}`,
    }),
  gRPC: () => {
    const left = new AbortController();
    const context = { ...client.auth, signal: left.signal };
    client.errors.listErrors({ projectId: heavy.id, query: slowQuery }, context).catch(() => undefined);
    return () => left.abort();
  },
  "a page of the console": (cookie) =>
    abandonable(`/${heavy.path}/-/error_tracking?q=${slowQuery}`, { Cookie: cookie }),
  tRPC: (cookie) => {
    const input = JSON.stringify({ projectId: heavy.id, query: slowQuery });
    return abandonable(`/-/trpc/errors.listErrors?input=${encodeURIComponent(input)}`, { Cookie: cookie });
  },
};

for (const [door, begin] of Object.entries(doors)) {
  test(`a search over ${door} is ended when its caller leaves`, async () => {
    const cookie = sessionCookie(await signInByForm(server));
    const ends = await endsOf(async () => {
      const leave = begin(cookie);
      await until("the search to be under way", async () => (await reads())["underWay"] === 1, { everyMs: 5 });
      leave();
    });
    assert.equal(ends, { left: 1 });
  });
}

test("lists of releases and counts of sessions take turns too; lists without words and single errors do not", async () => {
  const { errors } = await client.errors.listErrors({ projectId: light.id }, client.auth);
  const projectId = light.id;
  const ends = await endsOf(async () => {
    await client.releases.listReleases({ projectId }, client.auth);
    await client.releases.getSessionStats({ projectId }, client.auth);
    await client.errors.listErrors({ projectId }, client.auth);
    await client.errors.getError({ projectId, errorId: errors[0]?.errorId ?? "" }, client.auth);
  });
  assert.equal(ends, { answered: 2 });
});

test.run();
