import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm, tokenIn } from "../support/console/console.ts";
import { createProject } from "../support/core/project.ts";
import { execSql } from "../support/database/other-process.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { http } from "../support/http/http.ts";
import { until } from "../support/run/until.ts";
import { runningServer } from "../support/service/flow.ts";

const { server, client } = await runningServer();
const cookie = sessionCookie(await signInByForm(server));
const headers = { Cookie: cookie, Accept: "text/html" };
const secrets = ["in-the-query", tokenIn(cookie)];

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly route?: string;
  readonly reference?: string;
  readonly err?: { readonly stack: string };
}

const failures = () =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes('"side":"server"'));

test("a page that fails is one error in the log, and one report, with its route and without what its visitor sent", async () => {
  const project = await createProject(server);
  await client.instance.updateOwnErrorReporting({ projectId: project.id, enabled: true }, client.auth);
  // A damaged row: the year 287,000 is none that JSON can carry.
  await execSql(server.dataDir, "update session set created_at = 9000000000000000");

  const answer = await http(`${server.url}/-/profile/account/sessions?q=in-the-query`, { headers });
  assert.is(answer.status, 500);

  const [line = "", ...more] = failures();
  assert.equal(more, []);
  const entry = JSON.parse(line) as Line;
  assert.is(entry.level, 50);
  assert.is(entry.route, "/-/profile/account/sessions");
  assert.is(entry.msg, "the page /-/profile/account/sessions failed");
  assert.ok(answer.text.includes(entry.reference ?? "none"), "the page does not name the line of the log");
  assert.match(entry.err?.stack ?? "", /google\.protobuf\.Timestamp/);

  const [error, ...others] = await until("the report", async () => {
    const errors = await storedErrors(client, project.id);
    return errors.length > 0 && errors;
  });
  assert.equal(others, []);
  const [eventId = ""] = await storedEventIds(client, project.id, error?.errorId ?? "");
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  assert.ok(event);
  assert.is(event.tags["part"], "console");
  assert.is(event.tags["during"], "the page /-/profile/account/sessions failed");
  for (const secret of secrets) {
    assert.not(line.includes(secret), "a secret is in the log");
    assert.not(event.payloadJson.includes(secret), "a secret is in the report");
  }
});

test("a procedure that fails is one error in the log", async () => {
  const before = failures().length;
  const answer = await http(`${server.url}/-/trpc/accounts.listSessions?input=%7B%7D`, { headers });
  assert.is(answer.status, 500);
  const [line = "", ...more] = failures().slice(before);
  assert.equal(more, []);
  assert.is((JSON.parse(line) as Line).route, "/-/trpc/[...procedure]");
  for (const secret of secrets) assert.not(line.includes(secret));
});

test("a refused or unknown procedure is not reported as a failure", async () => {
  const before = failures().length;
  for (const [procedure, status] of [
    ["accounts.nothing", 404],
    ["accounts.signIn", 404],
    ["accounts.listSessions", 401],
  ] as const) {
    const asked = status === 401 ? {} : headers;
    assert.is((await http(`${server.url}/-/trpc/${procedure}?input=%7B%7D`, { headers: asked })).status, status);
  }
  assert.is(failures().length, before);
});

test.run();
