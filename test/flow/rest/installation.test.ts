import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { errorReceiver } from "../../support/external/error-receiver.ts";
import { runningServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newPerson } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const receiver = await errorReceiver();
const outbound = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: new URL(receiver.dsn).port };
const { server, client } = await runningServer({ env: outbound });
test.after(() => receiver.close());
const person = await newPerson(client);

type Body = Record<string, unknown> & { readonly id: number };

test("everybody with a token reads what is offered here, under both names of the original", async () => {
  const answer = await answered(rest(server, "GET /metadata", { token: person.token }), 200);
  const { version, plugins, ...offered } = answer.json as Body;
  assert.match(String(version), /^\d+\.\d+\.\d+/);
  assert.ok((plugins as string[]).includes("integrated-backend"));
  assert.equal(offered, {
    revision: null,
    enterprise: false,
    platform_release: "18.0",
    offering: "hosted",
    base_url: server.url,
  });
  await assertAnswer(rest(server, "GET /version", { token: person.token }), 200, answer.json);
  await assertAnswer(rest(server, "GET /version", { token: null }), 401, { message: "401 Unauthorized" });
});

// Audit events

test("an administrative act is answered with who did what, where and by which token", async () => {
  const project = await createProject(server);
  const path = `/projects/${project.id}/error_tracking/client_keys`;
  await assertAnswer(rest(server, `DELETE ${path}/${project.keyId}`), 200);
  const answer = await answered(
    rest(server, `GET /audit_events?entity_type=Project&entity_id=${project.id}&per_page=1`),
    200,
  );
  const [event] = answer.json as (Body & { details: Record<string, unknown> })[];
  const { json: self } = await rest(server, "GET /personal_access_tokens/self");
  const { id, user_id } = self as Body;
  const { json: named } = await rest(server, `GET /projects/${project.id}`);
  assert.equal(
    ["author_id", "entity_id", "entity_type", "event_name"].map((name) => event?.[name]),
    [user_id, project.id, "Project", "ClientKeyService.DeleteClientKey"],
  );
  assert.equal(event?.details, {
    custom_message: `Deleted the client key ${project.keyId}.`,
    author_name: "root",
    entity_path: (named as { path: string }).path,
    personal_access_token_id: id,
  });
  assert.match(String(event?.["created_at"]), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
});

test("audit events come newest first, in pages that are linked, and by author", async () => {
  const author = await newPerson(client);
  for (const path of ["audit/1", "audit/2", "audit/3"])
    await assertAnswer(rest(server, "POST /projects", { token: author.token, body: { path } }), 201);
  const first = await answered(rest(server, `GET /audit_events?author_id=${author.userId}&per_page=2`), 200);
  const second = await answered(rest(server, `GET ${linkedPage(first, "next")}`), 200);
  const events = [...(first.json as Body[]), ...(second.json as Body[])];
  const made = events.filter((event) => event["event_name"] === "ProjectService.CreateProject");
  assert.is(made.length, 3);
  assert.ok(events.every((event) => event["author_id"] === author.userId));
  const ids = events.map(({ id }) => id);
  assert.equal(
    ids,
    ids.toSorted((a, b) => b - a),
  );
});

for (const [query, error] of [
  ["entity_type=Group&entity_id=1", "entity_type does not have a valid value"],
  ["entity_type=Project", "entity_id is missing"],
  ["entity_id=1", "entity_type is missing"],
  ["pagination=offset", "pagination does not have a valid value"],
  ["sort=asc", "sort does not have a valid value"],
  ["cursor=x", "cursor is invalid"],
] as const)
  test(`GET /audit_events?${query} is answered 400: ${error}`, () =>
    assertAnswer(rest(server, `GET /audit_events?${query}`), 400, { error }));

// Where the installation reports its own failures

test("an administrator sets where own failures are reported, and the key is not readable then", async () => {
  const key = "0123456789abcdef0123456789abcdef";
  const dsn = `https://${key}@errors.example.com/7`;
  const body = { enabled: false, dsn, environment: "staging", external_version: "24.1.0" };
  const put = await answered(rest(server, "PUT /application/error_reporting", { body }), 200);
  const stored = put.json as Body;
  assert.equal(
    ["enabled", "environment", "external_version", "external_version_source", "asked_version", "reported_count"].map(
      (name) => stored[name],
    ),
    [false, "staging", "24.1.0", "typed", null, 0],
  );
  assert.match(String(stored["dsn"]), "@errors.example.com/7");
  assert.not.match(put.text, key);
  await assertAnswer(rest(server, "GET /application/error_reporting"), 200, stored);
  const off = await answered(rest(server, "PUT /application/error_reporting", { body: { dsn: "" } }), 200);
  assert.is((off.json as Body)["dsn"], null);
  assert.is((off.json as Body)["environment"], "staging");
});

test("a version of the external system that the platform does not support is answered 400", async () => {
  const body = { external_version: "21.4.1" };
  const answer = await answered(rest(server, "PUT /application/error_reporting", { body }), 400);
  assert.match(String((answer.json as Body)["message"]), "21.5.0");
});

test("the version that an external system reports is shown, and refused when it is too old, whatever is given", async () => {
  const put = (fields: object) => {
    const body = { dsn: receiver.dsn, external_version: "24.1.0", ...fields };
    return rest(server, "PUT /application/error_reporting", { body });
  };
  const says = (current: string) => receiver.say({ config: { version: { current } } });
  says("21.4.1");
  const { message } = (await answered(put({}), 400)).json as Body;
  assert.match(String(message), "Version 21.4.1 of the external system is not supported");
  says("24.9.0");
  const shown = (await answered(put({}), 200)).json as Body;
  assert.equal([shown["external_version_source"], shown["asked_version"]], ["asked", "24.9.0"]);
  receiver.say({});
  const unknown = (await answered(put({ external_version: "" }), 200)).json as Body;
  assert.equal([unknown["external_version_source"], unknown["asked_version"]], ["unknown", null]);
  assert.match(String(unknown["external_version_notice"]), "is unknown");
  const { id } = await createProject(server);
  const own = (await answered(put({ dsn: undefined, project_id: id }), 200)).json as Body;
  assert.equal([own["external_version_source"], own["external_version_notice"]], ["exempt", null]);
  const none = (await answered(put({ dsn: "", external_version: "" }), 200)).json as Body;
  assert.equal([none["external_version_source"], none["external_version_notice"]], [null, null]);
  assert.equal(receiver.complaints, []);
});

test("all of this is for administrators", async () => {
  for (const call of ["GET /audit_events", "GET /application/error_reporting", "PUT /application/error_reporting"])
    await assertAnswer(rest(server, call, { token: person.token }), 403, { message: "403 Forbidden" });
});

test.run();
