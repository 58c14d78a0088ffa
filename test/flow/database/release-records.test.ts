import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Role, type CommitSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember, newPerson, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

const { server, client } = await sharedServer();
let project: Project;
let builder: Person;

test.before.each(async () => {
  project = await createProject(server);
  builder = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
});

type Fields = Readonly<Record<string, unknown>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Calls Sentry's API, by default as a build does. */
function sentry({ method, path, body }: Call, token: string = builder.token): Promise<HttpAnswer> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return http(server.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

const organization = "/api/0/organizations/-";
const release = (version: string) => ({ projectId: project.id, version });

/** The calls of a recorded tool by the command that sent them, for the project of the test. */
function recorded(tool: string): Readonly<Record<string, Call[]>> {
  const file = join(import.meta.dirname, `../../fixtures/releases/${tool}.json`);
  const text = readFileSync(file, "utf8")
    .replaceAll("/acme/", "/-/")
    .replaceAll(/(?<=[/"])shop(?=[/"])/g, project.path);
  return JSON.parse(text) as Record<string, Call[]>;
}

for (const tool of ["sentry-cli-2.58.6", "sentry-cli-3.8.0"]) {
  test(`${tool} records a release with commits and deploys`, async () => {
    const commands = recorded(tool);
    const run = async (command: string, token?: string) => {
      const answers = [];
      for (const call of commands[command] ?? []) answers.push(await sentry(call, token));
      assert.ok(answers.length > 0, command);
      return answers.map(({ status, json }) => ({ status, json: json as Fields, list: json as Fields[] })); // as asserted
    };
    const { token: reader } = await newMember(client, project.id, Role.DEVELOPER);

    const [created] = await run("releases new v1");
    assert.is(created?.status, 201);
    assert.equal(pick(created?.json, "version", "dateReleased"), { version: "v1", dateReleased: null });
    assert.equal(
      (await run("releases set-commits v1 --auto")).map(({ status }) => status),
      [200, 208, 200, 200],
    );
    const { commits } = await client.releaseRecords.listCommits(release("v1"), client.auth);
    assert.equal(
      commits.map(({ message, paths }) => [message.split("\n", 1)[0], paths]),
      [
        ["Move", ["src/f1.js", "src/f2.js", "src/f9.js"]],
        ["Change 3", ["src/a.js", "src/f3.js"]],
        ["Change 2", ["src/a.js", "src/f2.js"]],
        ["Change 1", ["src/a.js", "src/f1.js"]],
      ],
    );
    assert.equal(pick(commits[0], "authorName", "authorEmail"), { authorName: "Ada", authorEmail: "ada@example.com" });

    await run("releases finalize v1");
    await run("deploys new -r v1 -e production -n first -u https://x.example.com -t 30");
    await run("deploys new -r v1 -e production");
    const { releaseRecord } = await client.releaseRecords.getReleaseRecord(release("v1"), client.auth);
    assert.ok(releaseRecord?.releasedTime);
    assert.is(releaseRecord?.commitCount, 4);
    assert.equal(pick(releaseRecord?.lastDeploy, "environment", "name"), { environment: "production", name: "" });

    const [list] = await run("releases list", reader);
    assert.equal(
      list?.list.map(({ version }) => version),
      ["v1"],
    );
    const [info, shown] = await run("releases info v1 --show-commits", reader);
    assert.equal(pick(info?.json, "commitCount"), { commitCount: 4 });
    assert.is(shown?.list.length, 4);
    const [deploys] = await run("deploys list -r v1", reader);
    assert.equal(
      deploys?.list.map(({ name }) => name),
      [null, "first"],
    );

    await run("releases set-commits v1 --commit");
    const named = await client.releaseRecords.listCommits(release("v1"), client.auth);
    assert.equal(
      named.commits.map(({ repository, message }) => [repository, message]),
      [["acme/web", ""]],
    );
    await run("releases set-commits v1 --clear");
    assert.equal((await client.releaseRecords.listCommits(release("v1"), client.auth)).commits, []);

    assert.equal(
      (await run("releases delete v1", reader)).map(({ status }) => status),
      [204],
    );
    await refusedBecause(
      "RELEASE_RECORD_NOT_FOUND",
      client.releaseRecords.getReleaseRecord(release("v1"), client.auth),
    );
    assert.is((await run("releases info v1 --show-commits", reader))[0]?.status, 404);
  });
}

/** Some fields of an object. */
function pick<T extends object>(of: T | unknown, ...names: string[]): Record<string, unknown> {
  const fields = (of ?? {}) as Record<string, unknown>; // read by name alone
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

const setCommits = (version: string, commits: readonly MessageInitShape<typeof CommitSchema>[]) =>
  client.releaseRecords.recordCommits({ ...release(version), commits: [...commits] }, client.auth);

test("a build continues after the last commit of the previous release", async () => {
  const previous = (version: string) =>
    sentry({ method: "GET", path: `${organization}/releases/${version}/previous-with-commits/` });
  await setCommits("v1", [{ commitId: "b", repository: "acme/web" }, { commitId: "a" }]);
  assert.equal((await previous("v1")).json, {});
  await client.releaseRecords.recordRelease(release("v2"), client.auth);
  await setCommits("v3", []);
  const { version, lastCommit, dateCreated } = (await previous("v3")).json as Fields;
  assert.equal({ version, lastCommit }, { version: "v1", lastCommit: { id: "b", repository: { name: "acme/web" } } });
  assert.type(dateCreated, "string"); // without it sentry-cli cannot read the answer
  assert.is((await previous("v9")).status, 404);
});

test("a token for uploads records releases and sees no more than that they are recorded", async () => {
  await client.releaseRecords.recordRelease(
    { ...release("v1"), url: "https://ci.example.com/1", ref: "main" },
    client.auth,
  );
  const one = `${organization}/releases/v1/`;
  const info = await sentry({ method: "GET", path: one });
  assert.equal(pick(info.json, "version", "url", "ref"), { version: "v1", url: null, ref: null });
  for (const path of [`${one}commits/`, `${one}deploys/`, `/api/0/projects/-/${project.path}/releases/`]) {
    assert.is((await sentry({ method: "GET", path })).status, 403, path);
  }
  assert.is((await sentry({ method: "DELETE", path: one })).status, 403);
  await refusedBecause("INSUFFICIENT_SCOPE", client.releaseRecords.listDeploys({ projectId: project.id }, builder));

  const stranger = await newPerson(client, { scopes: ["upload"] });
  const reporter = await newMember(client, project.id, Role.REPORTER, ["upload"]);
  const body = { version: "v2", projects: [project.path] };
  for (const [token, status] of [
    [stranger.token, 404],
    [reporter.token, 403],
    ["wrong", 401],
  ] as const) {
    assert.is((await sentry({ method: "POST", path: `${organization}/releases/`, body }, token)).status, status);
  }
  assert.is((await sentry({ method: "GET", path: one }, stranger.token)).status, 404);
  const deploy = { environment: "production" };
  assert.is((await sentry({ method: "POST", path: `${one}deploys/`, body: deploy }, stranger.token)).status, 404);
});

test("a release that several projects record is changed where the build may, unless it names the project", async () => {
  const other = await createProject(server);
  await client.members.addMember({ projectId: other.id, userId: builder.userId, role: Role.DEVELOPER }, client.auth);
  const foreign = await createProject(server);
  const version = `shop@1.${project.id}`;
  for (const { id } of [project, other, foreign]) {
    await client.releaseRecords.recordRelease({ projectId: id, version }, client.auth);
  }
  const path = `${organization}/releases/${encodeURIComponent(version)}/`;
  const commits = [{ id: "a" }];
  await sentry({ method: "PUT", path, body: { commits, projects: [project.path] } });
  await sentry({ method: "PUT", path, body: { dateReleased: "2026-05-01T10:20:30Z" } });
  const records = await Promise.all(
    [project, other, foreign].map(({ id }) =>
      client.releaseRecords.getReleaseRecord({ projectId: id, version }, client.auth),
    ),
  );
  assert.equal(
    records.map(({ releaseRecord: record }) => [record?.commitCount, record?.releasedTime !== undefined]),
    [
      [1, true],
      [0, true],
      [0, false],
    ],
  );
});

test("records that cannot be kept are refused in words", async () => {
  const projects = [project.path];
  const releases = `${organization}/releases/`;
  const rows: [call: Call, status: number, words: RegExp][] = [
    [{ method: "POST", path: releases, body: { projects } }, 400, /version/],
    [{ method: "POST", path: releases, body: { version: "v".repeat(201), projects } }, 400, /200 characters/],
    [{ method: "POST", path: releases, body: { version: "v1" } }, 404, /Record it first/],
    [{ method: "POST", path: releases, body: ["v1"] }, 400, /JSON object/],
    [{ method: "POST", path: releases, body: { version: "v1", projects, url: "javascript:1" } }, 400, /https/],
    [{ method: "POST", path: releases, body: { version: "v1", projects, dateStarted: "now" } }, 400, /dateStarted/],
    [{ method: "POST", path: releases, body: { version: "v1", projects, pad: "x".repeat(2 ** 21) } }, 413, /fewer/],
    [{ method: "POST", path: `${releases}v1/deploys/`, body: { projects } }, 400, /environment/],
    [{ method: "POST", path: releases, body: { version: "v1", projects: ["no/slug"] } }, 404, /no project/],
  ];
  for (const [call, status, words] of rows) {
    const answer = await sentry(call);
    assert.is(answer.status, status, answer.text);
    assert.match((answer.json as { detail: string }).detail, words);
  }
});

test("a release keeps its newest 100 deploys, in pages that continue, and recognises a repeated one", async () => {
  const path = `${organization}/releases/v1/deploys/`;
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
  const body = (n: number) => ({ environment: "production", dateFinished: at(n), projects: [project.path] });
  assert.is((await sentry({ method: "POST", path, body: body(0) })).status, 201);
  assert.is((await sentry({ method: "POST", path, body: body(0) })).status, 208);
  for (let n = 1; n <= 100; n++) await sentry({ method: "POST", path, body: body(n) });
  const asked = { projectId: project.id, version: "v1", pageSize: 60 };
  const first = await client.releaseRecords.listDeploys(asked, client.auth);
  const second = await client.releaseRecords.listDeploys({ ...asked, pageToken: first.nextPageToken }, client.auth);
  const times = [...first.deploys, ...second.deploys].map(({ finishedTime }) => Number(finishedTime?.seconds) * 1000);
  assert.equal(
    times.map((ms) => new Date(ms).toISOString()),
    Array.from({ length: 100 }, (_, n) => at(100 - n)),
  );
  assert.is(second.nextPageToken, "");
});

/** Sends an event with a stack of these files, the failing one last, and returns its error. */
async function errorIn(files: readonly string[], version: string): Promise<{ errorId: string; eventId: string }> {
  const eventId = newEventId();
  const frames = files.map((filename, n) => ({
    filename,
    function: `f${n}`,
    lineno: n + 1,
    in_app: !filename.includes("lib"),
  }));
  const answer = await sendEvent(server, project, {
    event_id: eventId,
    platform: "node",
    release: version,
    exception: { values: [{ type: "Error", value: "negative total", stacktrace: { frames } }] },
  });
  assert.is(answer.status, 200, answer.text);
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  return { errorId: event?.errorId ?? "", eventId };
}

test("an error names the commits that changed files of its stack in the release where it was first seen", async () => {
  await rest(server, `PUT /projects/${project.id}`, {
    body: { code_url: "https://gitlab.example.com/acme/web/-/blob/{revision}/{path}#L{line}" },
  });
  const hash = "9618566db5aea5fe7f95a3111ffc332e2c98da23";
  await setCommits("v1", [
    { commitId: "unrelated", paths: ["docs/readme.md"] },
    { commitId: "outer", paths: ["src/shop.js"] },
    { commitId: hash, message: "Change totals", authorName: "Ada", paths: ["src/cart/total.js"] },
    { commitId: "library", paths: ["lib/money.js"] },
  ]);
  await setCommits("v2", [{ commitId: "later", paths: ["src/cart/total.js"] }]);
  const files = ["/srv/app/src/shop.js", "/srv/app/src/cart/total.js", "/srv/app/lib/money.js"];
  const { errorId } = await errorIn(files, "v1");
  await errorIn(files, "v2");
  const asked = { projectId: project.id, errorId };
  const { version, suspectCommits } = await client.releaseRecords.listSuspectCommits(asked, client.auth);
  assert.is(version, "v1");
  assert.equal(
    suspectCommits.map(({ commit, path, frameFunction, frameLineno }) => [
      commit?.commitId,
      path,
      frameFunction,
      frameLineno,
    ]),
    [
      [hash, "src/cart/total.js", "f1", 2],
      ["outer", "src/shop.js", "f0", 1],
    ],
  );
  assert.is(suspectCommits[0]?.commit?.codeUrl, `https://gitlab.example.com/acme/web/-/commit/${hash}`);
  assert.is(suspectCommits[1]?.commit?.codeUrl, "");
  const answer = await rest(server, `GET /projects/${project.id}/error_tracking/errors/${errorId}/suspect_commits`);
  assert.equal(pick(answer.json, "version"), { version: "v1" });
  await refusedBecause(
    "ERROR_NOT_FOUND",
    client.releaseRecords.listSuspectCommits({ projectId: project.id, errorId: "999999999" }, client.auth),
  );
});

test("the release of the event replaces the release of the first event if that has no commits", async () => {
  const files = ["/srv/app/src/cart/total.js"];
  const { errorId, eventId: first } = await errorIn(files, "v1");
  const asked = { projectId: project.id, errorId };
  assert.equal(await client.releaseRecords.listSuspectCommits(asked, client.auth).then(({ version }) => version), "");
  await setCommits("v2", [{ commitId: "second", paths: ["src/cart/total.js"] }]);
  await errorIn(files, "v2");
  assert.is((await client.releaseRecords.listSuspectCommits(asked, client.auth)).version, "v2");
  const ofFirst = await client.releaseRecords.listSuspectCommits({ ...asked, eventId: first }, client.auth);
  assert.is(ofFirst.version, "");
});

test("REST records a release, its commits and a deploy, and reads them", async () => {
  const at = `/projects/${project.id}/error_tracking`;
  const record = { version: "shop@1/2", ref: "main", started_at: "2026-05-01T10:20:30.000Z" };
  assert.is((await rest(server, `POST ${at}/releases`, { body: record })).status, 201);
  const one = `${at}/releases/shop@1%2F2`;
  const commits = [{ id: "a", message: "Change", paths: ["src/a.js"], committed_at: "2026-05-01T10:00:00.000Z" }];
  assert.is((await rest(server, `PUT ${one}/commits`, { body: { commits } })).status, 200);
  const deploy = await rest(server, `POST ${one}/deploys`, { body: { environment: "production" } });
  assert.is(deploy.status, 201, deploy.text);
  const read = await rest(server, `GET ${one}`);
  assert.equal(pick(read.json, "ref", "commit_count", "last_deploy"), {
    ref: "main",
    commit_count: 1,
    last_deploy: deploy.json,
  });
  const [listed] = (await rest(server, `GET ${at}/release_records`)).json as unknown[];
  assert.equal(listed, read.json);
  const [commit] = (await rest(server, `GET ${one}/commits`)).json as unknown[];
  assert.equal(pick(commit, "id", "paths", "committed_at"), {
    id: "a",
    paths: ["src/a.js"],
    committed_at: "2026-05-01T10:00:00.000Z",
  });
  assert.equal((await rest(server, `GET ${at}/deploys?version=shop@1%2F2`)).json, [deploy.json]);
  assert.is((await rest(server, `PUT ${one}/commits`, { body: { commits: [7] } })).status, 400);
  assert.is((await rest(server, `DELETE ${one}`)).status, 204);
  assert.is((await rest(server, `GET ${one}`)).status, 404);
});

test.run();
