import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Role, SessionStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const path = `/projects/${project.id}/error_tracking`;
const { token } = await newMember(client, project.id, Role.REPORTER);
const guest = await newMember(client, project.id, Role.GUEST);

type Body = Record<string, unknown>;

/** Reports a new session. */
const session = (release: string, environment: string, status: SessionStatus, user: string) =>
  client.ingest.reportSessions(
    {
      updates: [
        {
          projectId: project.id,
          sessionId: newEventId(),
          release,
          environment,
          status,
          userDigest: user,
          startedTime: timestampFromMs(Date.now()),
        },
      ],
    },
    client.auth,
  );

await session("shop@1.0/a b", "prod", SessionStatus.EXITED, "ann");
await session("shop@1.0/a b", "prod", SessionStatus.CRASHED, "bob");
await session("shop@2.0", "moon", SessionStatus.EXITED, "ann");

test("a release is answered with its sessions and users", async () => {
  const answer = await answered(rest(server, `GET ${path}/releases?environment=prod`, { token }), 200);
  const [release, ...others] = answer.json as Body[];
  assert.equal(others, []);
  const { first_session_at, last_session_at, ...body } = release as Body;
  for (const time of [first_session_at, last_session_at])
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
  assert.equal(body, {
    version: "shop@1.0/a b",
    other_releases: false,
    commit: null,
    url: null,
    sessions: { total: 2, healthy: 1, errored: 0, crashed: 1, abnormal: 0 },
    user_count: 2,
    more_users: false,
    crashed_user_count: 1,
    crash_free_sessions: 50,
    crash_free_users: 50,
  });
});

test("releases come in pages that are linked", async () => {
  const first = await answered(rest(server, `GET ${path}/releases?per_page=1&period=24h`, { token }), 200);
  const second = await answered(rest(server, `GET ${linkedPage(first, "next")}`, { token }), 200);
  assert.is(linkedPage(second, "next"), undefined);
  const versions = [first, second].flatMap(({ json }) => (json as Body[]).map(({ version }) => String(version)));
  assert.equal(versions.toSorted(), ["shop@1.0/a b", "shop@2.0"]);
});

test("the sessions of a release with an encoded name are counted by hour", async () => {
  const sessions = `${path}/releases/${encodeURIComponent("shop@1.0/a b")}/sessions`;
  const answer = await answered(rest(server, `GET ${sessions}?period=7d`, { token }), 200);
  const { interval, sessions: hours } = answer.json as {
    interval: string;
    sessions: { total: number; crashed: number }[];
  };
  assert.is(interval, "1h");
  assert.is(hours.length, 168);
  assert.equal(
    [hours.reduce((sum, hour) => sum + hour.total, 0), hours.reduce((sum, hour) => sum + hour.crashed, 0)],
    [2, 1],
  );
  const elsewhere = await rest(server, `GET ${sessions}?environment=moon`, { token });
  assert.ok((elsewhere.json as { sessions: { total: number }[] }).sessions.every(({ total }) => total === 0));
});

for (const version of ["%", "%00", "%C3"])
  test(`the release ${version}, which is not text, does not mean all releases`, () =>
    assertAnswer(rest(server, `GET ${path}/releases/${version}/sessions`, { token }), 400, {
      error: "version is invalid",
    }));

test("refused events are counted by reason", async () => {
  const refused = await http(`${server.url}/api/${project.id}/store/?sentry_key=${"0".repeat(32)}`, {
    method: "POST",
    body: "{}",
  });
  assert.is(refused.status, 403);
  const bad = await http(`${server.url}/api/${project.id}/store/?sentry_key=${project.key}`, {
    method: "POST",
    body: "not JSON",
  });
  assert.is(bad.status, 400, bad.text);
  const outcome = await until("the outcome", async () => {
    const answer = await answered(rest(server, `GET ${path}/outcomes`, { token }), 200);
    const { outcomes, refused_counts } = answer.json as { outcomes: Body[]; refused_counts: number[] };
    assert.is(refused_counts.length, 24);
    return outcomes.find(({ reason }) => reason === "malformed");
  });
  const { last_at, ...body } = outcome;
  assert.match(String(last_at), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  assert.equal(body, { kind: "refused", category: "error", reason: "malformed", quantity: 1 });
});

test("a guest reads none of this", async () => {
  for (const tail of ["releases", "releases/x/sessions", "outcomes"])
    await assertAnswer(rest(server, `GET ${path}/${tail}`, { token: guest.token }), 403, { message: "403 Forbidden" });
});

test.run();
