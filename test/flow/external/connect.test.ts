import type { ServerResponse } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal } from "../../support/external/fake-external.ts";
import type { FakeProject } from "../../support/external/played-sentry/data.ts";
import { repeatedItems } from "../../support/external/repeated-items.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/** The findings of Connect about an external system. */

const clock = movableClock();
const projects = Array.from({ length: 101 }, (_, index): FakeProject => {
  return { id: `${index + 1}`, slug: `p${index + 1}`, name: `P ${index + 1}`, organization: "acme", status: "active" };
});
const fake = await fakeExternal({ clock, projects });
const { client } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports: [fake.port] } }, clock);
const { projectId } = await linkedProject(client, fake);
test.after(() => fake.close());

const allProjects = [...fake.data.projects];
const setProjects = (count: number) => Object.assign(fake.data, { projects: allProjects.slice(0, count) });
test.before.each(() => {
  clock.at += 60_000; // lookups are limited by the minute
  setProjects(2);
  fake.setScopes(["project:read", "event:read", "event:write"]);
  fake.setVersion("25.1.0");
  fake.answerAsUsual();
  fake.calls.length = 0;
});

const connect = () => client.settings.listExternalProjects({ projectId }, client.auth);

test("Connect lists the projects with ids, slugs and names, and also asks for the scopes", async () => {
  const { externalProjects, warnings } = await connect();
  assert.equal(
    externalProjects.map(({ id, slug, name, status, organizationId, organizationSlug, organizationName }) => {
      return [id, slug, name, status, organizationId, organizationSlug, organizationName];
    }),
    [
      ["1", "p1", "P 1", "active", "1", "acme", "Acme Works"],
      ["2", "p2", "P 2", "active", "1", "acme", "Acme Works"],
    ],
  );
  assert.equal(warnings, []);
  assert.equal(fake.calls.map(({ path }) => path).toSorted(), ["/api/0/", "/api/0/projects/"]);
});

test("a project that the answer names twice is offered once", async () => {
  fake.answerWith(repeatedItems);
  const { externalProjects } = await connect();
  assert.equal(
    externalProjects.map(({ id }) => id),
    ["1", "2"],
  );
});

test("Connect is never answered from memory", async () => {
  await connect();
  await connect();
  assert.is(fake.calls.length, 4);
  fake.answerWith({ status: 500 });
  await refusedBecause("EXTERNAL_UNREACHABLE", connect());
});

const write = "The token lacks event:write, so errors cannot be resolved from here.";
const read = "The token lacks event:read, so errors cannot be read from here.";
const scopes: [scopes: string[], warnings: string[]][] = [
  [["project:read", "event:read"], [write]],
  [["project:read"], [read, write]],
  [["project:write", "event:admin"], []],
  [["project:admin", "event:write"], []],
];
for (const [given, expected] of scopes) {
  test(`a token with ${given.join(" and ")} is warned of ${expected.length} missing scopes`, async () => {
    fake.setScopes(given);
    assert.equal((await connect()).warnings, expected);
  });
}

test("a token without project:read that can list projects all the same is warned of it", async () => {
  fake.answerWith({ json: { auth: { scopes: ["event:read", "event:write"] } } }, { on: /^\/api\/0\/$/ });
  assert.equal((await connect()).warnings, ["The token lacks project:read, so its projects cannot be listed."]);
});

for (const version of ["9.1.2", "10.0.1", "21.4.1"]) {
  test(`an application's system is not warned of its version ${version}: specification 9.1 is not about it`, async () => {
    fake.setVersion(version);
    assert.equal((await connect()).warnings, []);
  });
}

test("of more than 100 projects the first 100 are listed, and the answer says so", async () => {
  setProjects(100);
  assert.equal((await connect()).warnings, []);
  setProjects(101);
  const { externalProjects, warnings } = await connect();
  assert.is(externalProjects.length, 100);
  assert.equal(warnings, ["The token sees more projects. Only the first 100 are shown."]);
});

test("if scopes are not reported, there is no warning", async () => {
  fake.setScopes(["project:read"]);
  for (const answer of [{ status: 404 }, { status: 500 }, { body: "<html>" }, { json: [] }, { json: { auth: null } }]) {
    const back = fake.answerWith(answer, { on: /^\/api\/0\/$/ });
    const { externalProjects, warnings } = await connect();
    assert.is(externalProjects.length, 2);
    assert.equal(warnings, []);
    back();
  }
});

test("when the list of projects fails, the other call is given up", async () => {
  let given = 0;
  const never = (response: ServerResponse) => void response.once("close", () => given++);
  fake.answerWith(never, { on: /^\/api\/0\/$/ });
  fake.answerWith({ status: 401 }, { on: /projects/ });
  const refusal = await refusedBecause("EXTERNAL_TOKEN_REFUSED", connect());
  assert.is(refusal.message, "Sentry response status code: 401");
  await until("its end", () => given === 1, { deadlineMs: promised(1_000) }); // its own time is 8 s
});

test("a token that is not known is refused in the recorded words", async () => {
  const refusal = await refusedBecause(
    "EXTERNAL_TOKEN_REFUSED",
    client.settings.listExternalProjects(
      { projectId, externalApiUrl: fake.url, externalAuthToken: "of-nobody" },
      client.auth,
    ),
  );
  assert.is(refusal.message, "Sentry response status code: 401");
  assert.ok(fake.complaints.splice(0).every((complaint) => complaint.includes("a token that it does not know")));
});

test("all these calls were such as a well-behaved client makes", () => assert.equal(fake.complaints, []));

test.run();
