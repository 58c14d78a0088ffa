// process: the pages of the console know one core in a process
import { Backend, ErrorReason } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal, type FakeExternal } from "../../support/external/fake-external.ts";
import { endings, endsIn } from "../../support/external/hostile-external.ts";
import { http } from "../../support/http/http.ts";
import { linkedProject, type LinkedProject } from "../../support/core/linked-project.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rootToken } from "../../support/service/server.ts";

/** The use of the stored token, and the caches. The external servers record whether they saw a token. */

const clock = movableClock();
const projects = Array.from({ length: 60 }, (_, index) => {
  const slug = `shop-${index + 1}`;
  return { id: `${index + 1}`, slug, name: slug, organization: "acme", status: "active" };
});
const issues = projects.map(({ id }) => ({ id: `${id}001`, project: id }));
const fake = await fakeExternal({ clock, projects, issues });
const { port } = fake;
// Its name begins with the name of the first, as `example.com` begins with `example.co`.
const lookAlike = await fakeExternal({ host: "127.0.0.11", port, projects, issues });
const otherPort = await fakeExternal({ clock, projects, issues });
const strangers = [lookAlike, otherPort];
const { client, faultline } = await movableFaultline(
  { outbound: { networks: ["127.0.0.0/8"], ports: [port, otherPort.port] } },
  clock,
);
test.after(async () => {
  for (const one of [fake, ...strangers]) await one.close();
});

let next = 0;
const link = (options: { token?: string } = {}) =>
  linkedProject(client, fake, { external: projects[next++]?.slug ?? "none", ...options });
const list = ({ projectId }: LinkedProject) => client.errors.listErrors({ projectId }, client.auth);
const connect = ({ projectId }: LinkedProject, externalApiUrl = "", externalAuthToken = "") => {
  clock.at += hourMs; // lookups are limited
  return client.settings.listExternalProjects({ projectId, externalApiUrl, externalAuthToken }, client.auth);
};
const connectByPage = ({ path }: LinkedProject, apiHost: string, token: string) => {
  clock.at += hourMs;
  const query = new URLSearchParams({ api_host: apiHost, token });
  return http(`${faultline.httpUrl}/${path}/-/error_tracking/projects.json?${query}`, {
    headers: { "PRIVATE-TOKEN": rootToken },
  });
};
const save = ({ projectId }: LinkedProject, fields: object) =>
  client.settings.updateSettings({ projectId, ...fields }, client.auth);
const settled = <T>(call: Promise<T>): Promise<T | CallError> =>
  call.catch((error: unknown) => {
    if (error instanceof CallError) return error;
    throw error;
  });
const asked = (server: FakeExternal) => server.calls.length;

const elsewhere: [what: string, url: string][] = [
  ["a host that begins with the stored one", lookAlike.url],
  ["another port of the stored host", otherPort.url],
  ["another scheme", `https://127.0.0.1:${port}`],
  ["another name of the same machine", `http://localhost:${port}`],
  ["that name in capitals", `HTTP://LOCALHOST:${port}`],
  ["the stored host as user of another", `http://127.0.0.1:${port}@127.0.0.11:${port}`],
  ["the stored host before a fragment", `http://127.0.0.11:${port}#@127.0.0.1:${port}`],
  ["the stored host before a backslash", `http://127.0.0.11:${port}\\@127.0.0.1:${port}`],
  ["the stored host in a query", `http://127.0.0.11:${port}?127.0.0.1:${port}`],
  ["the stored host in a path", `http://127.0.0.11:${port}/127.0.0.1:${port}`],
  ["a tab in the host", `http://127.0.0.1\t1:${port}`],
];
for (const [what, url] of elsewhere) {
  test(`A27: the stored token is not sent to ${what}, by Connect, by projects.json or by a save`, async () => {
    const project = await link();
    const { token } = project;
    for (const typed of ["", "*", "************"]) {
      const refusal = await rejects(connect(project, url, typed), "INVALID_ARGUMENT");
      assert.match(refusal.field, /^external_(api_url|auth_token)$/);
      assert.is((await connectByPage(project, url, typed)).status, 400);
      const outcome = await settled(save(project, { externalApiUrl: url, ...(typed && { externalAuthToken: typed }) }));
      assert.instance(outcome, CallError, "an active link without a token was saved");
    }
    const off = await settled(save(project, { active: false, externalApiUrl: url }));
    if (!(off instanceof CallError)) assert.is(off.settings?.hasExternalAuthToken, false, "the token was kept");
    await settled(list(project));
    for (const one of strangers) {
      assert.not.ok(one.saw(token), "it saw the token");
      assert.is(asked(one), 0);
    }
  });
}

test("A27: a token that was typed for another host goes there alone, and the stored one stays at home", async () => {
  const project = await link();
  const typed = otherPort.newToken();
  assert.is((await connect(project, otherPort.url, typed)).externalProjects.length, projects.length);
  assert.ok(otherPort.saw(typed));
  assert.not.ok(otherPort.saw(project.token));
  assert.not.ok(fake.saw(typed));
});

test("A27: the stored token goes to its own origin, however that is written and whatever the path", async () => {
  const project = await link();
  for (const url of [fake.url, `HTTP://127.0.0.1:${port}/`, `${fake.url}///`]) {
    assert.is((await connect(project, url, "****")).externalProjects.length, projects.length, url);
  }
  for (const one of strangers) assert.not.ok(one.saw(project.token));
});

// A26.
test("A26: what Connect found with one token is not shown to another", async () => {
  const [mine, other] = [await link(), await link()];
  await connect(mine);
  await connect(mine, fake.url, mine.token);
  for (const wrong of ["sntryu_wrong", `${mine.token}x`]) {
    const query = { projectId: other.projectId, externalApiUrl: fake.url, externalAuthToken: wrong };
    await endsIn(client.settings.listExternalProjects(query, client.auth), endings.status(401), "a wrong token");
  }
});

test("A26: two projects that read the same system at the same moment each see their own errors", async () => {
  const [one, two] = [await link(), await link()];
  const lists = await Promise.all([list(one), list(two), list(one), list(two)]);
  const ids = lists.map(({ errors }) => errors.map(({ errorId }) => errorId).join());
  assert.equal(ids, [ids[0], ids[1], ids[0], ids[1]]);
  assert.is.not(ids[0], ids[1]);
});

test("A26: when the system is down nobody is shown what another project was shown", async () => {
  const [one, two] = [await link(), await link()];
  await list(one);
  await fake.close();
  clock.at += 60_000;
  assert.ok((await list(one)).staleSinceTime, "the first still sees what it was shown");
  await endsIn(list(two), endings.refused, "the second");
  await fake.comeBack();
});

test("A26: with a new save nothing is known any more, neither as fresh nor as stale", async () => {
  const project = await link();
  await list(project);
  const revoked = fake.newToken();
  fake.revoke(revoked);
  await save(project, { externalApiUrl: fake.url, externalAuthToken: revoked });
  await endsIn(list(project), endings.status(401), "the list with a token that is taken no more");
  await save(project, { externalApiUrl: fake.url, externalAuthToken: project.token });
  await fake.close();
  await endsIn(list(project), endings.refused, "the list of a system that was never asked since");
  await fake.comeBack();
});

test("A26: an answer that was on its way while the settings were saved is not remembered for the new ones", async () => {
  const project = await link();
  const held = fake.hold();
  const first = list(project);
  while (held.waiting() === 0) await new Promise(setImmediate);
  const token = otherPort.newToken();
  await save(project, {
    externalApiUrl: otherPort.url,
    externalAuthToken: token,
    externalProject: externalOf(project),
  });
  held.release();
  await first;
  const before = asked(otherPort);
  await list(project);
  assert.ok(asked(otherPort) > before, "the new system was asked");
  assert.not.ok(otherPort.saw(project.token));
  assert.not.ok(fake.saw(token));
});

const externalOf = ({ path }: LinkedProject) => {
  const at = Number(/\d+$/.exec(path)?.[0]) - 1;
  const { id = "", slug = "", name = "" } = projects[at] ?? {};
  return { id, slug, name, organizationSlug: "acme", organizationName: "Acme Works" };
};

// A28.
test("A28: of two simultaneous saves with one revision one is refused, and no token meets the address of the other", async () => {
  const project = await link();
  const { projectId } = project;
  const externalProject = externalOf(project);
  for (let round = 0; round < 20; round++) {
    const { settings } = await client.settings.getSettings({ projectId }, client.auth);
    const revision = settings?.revision ?? 0;
    const [here, there] = [fake.newToken(), otherPort.newToken()];
    const outcomes = await Promise.all([
      settled(save(project, { revision, externalApiUrl: fake.url, externalAuthToken: here, externalProject })),
      settled(save(project, { revision, externalApiUrl: otherPort.url, externalAuthToken: there, externalProject })),
      // As a client that saves in two steps does: the address first, the token in a second request.
      settled(save(project, { revision, externalAuthToken: here })),
      settled(save(project, { revision, active: false, externalApiUrl: otherPort.url })),
    ]);
    const refusals = outcomes.filter((outcome) => outcome instanceof CallError);
    assert.is(refusals.length, 3);
    for (const { reason } of refusals) assert.is(reason, ErrorReason.SETTINGS_CHANGED);
    await settled(list(project));
    assert.not.ok(otherPort.saw(here), `round ${round}: the token of the one at the address of the other`);
    assert.not.ok(fake.saw(there), `round ${round}: the token of the other at the address of the one`);
  }
});

test("A28: without a revision a save holds both, so that the last save leaves a whole", async () => {
  const project = await link();
  const externalProject = externalOf(project);
  for (let round = 0; round < 10; round++) {
    const [here, there] = [fake.newToken(), otherPort.newToken()];
    const both = { active: true, backend: Backend.EXTERNAL, externalProject };
    await Promise.all([
      save(project, { ...both, externalApiUrl: fake.url, externalAuthToken: here }),
      save(project, { ...both, externalApiUrl: otherPort.url, externalAuthToken: there }),
      settled(save(project, { externalAuthToken: here })),
      settled(list(project)),
      settled(connect(project)),
    ]);
    await list(project);
    assert.not.ok(otherPort.saw(here), `round ${round}`);
    assert.not.ok(fake.saw(there), `round ${round}`);
  }
});

test("A28: a token alone, without a revision or the address it is for, is not saved", async () => {
  const project = await link();
  const token = fake.newToken();
  const refusal = await rejects(save(project, { externalAuthToken: token }), "INVALID_ARGUMENT");
  assert.is(refusal.field, "external_auth_token");
  await list(project);
  assert.not.ok(fake.saw(token));
});

test("the systems of others were asked for nothing that they had to complain about", () => {
  const complaints = [fake, ...strangers].flatMap((one) => one.complaints);
  assert.equal(
    complaints.filter((one) => !/a token that it does not know/.test(one)),
    [],
  );
});

test.run();
