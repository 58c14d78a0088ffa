import { Backend, ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { webApi } from "../../support/external/web-api.ts";

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };

/** Makes a project with this path. */
async function projectAt(path: string): Promise<Project> {
  const project = await createProject(server);
  await client.projects.updateProject({ projectId: project.id, path, name: `The ${path}` }, client.auth);
  return project;
}

/** Stores an event; the id of its error. */
async function stored(project: Project, event: Record<string, unknown>): Promise<string> {
  const eventId = newEventId();
  const answer = await sendEvent(server, project, { event_id: eventId, ...event });
  assert.is(answer.status, 200, answer.text);
  const found = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  return found.event?.errorId ?? "";
}

const web = await projectAt("acme/web");
const deep = await projectAt("acme/team/Web");
const alone = await projectAt("alone");
const thrown = {
  exception: { values: [{ type: "TypeError", value: "x is not a function" }] },
  platform: "node",
  user: { id: "42" },
  release: "web@1.0",
  environment: "production",
};
const errorId = await stored(web, thrown);
clock.at += hourMs;
await stored(web, { ...thrown, user: { id: "43" }, release: "web@1.1" });
const messageId = await stored(web, { message: "only words", level: "warning", environment: "staging" });
const storedAt = clock.at;
const deepId = await stored(deep, thrown);
const aloneId = await stored(alone, thrown);

const get = async (path: string) => {
  const { status, json, text } = await webApi(server, `GET ${path}`);
  assert.is(status, 200, text);
  return json;
};
type Shape = Record<string, unknown>;
const one = async (path: string) => (await get(path)) as Shape;
const many = async (path: string) => (await get(path)) as Shape[];
const iso = (ms: number) => new Date(ms).toISOString();

test("an issue has the fields that clients of the original read", async () => {
  const [, issue] = await many("/projects/acme/web/issues/?sort=new");
  const { stats, ...fields } = issue ?? {};
  const release = (version: string) => ({
    version,
    shortVersion: version,
    ref: null,
    url: null,
    dateReleased: null,
    dateCreated: null,
    lastCommit: null,
  });
  assert.equal(fields, {
    id: errorId,
    shareId: null,
    shortId: `WEB-${errorId}`,
    title: "TypeError: x is not a function",
    culprit: "",
    permalink: `${server.url}/acme/web/-/error_tracking/${errorId}/details`,
    logger: null,
    level: "error",
    status: "unresolved",
    statusDetails: {},
    substatus: null,
    isPublic: false,
    platform: "node",
    project: { id: String(web.id), name: "The acme/web", slug: "web", platform: null },
    type: "error",
    metadata: { type: "TypeError", value: "x is not a function" },
    issueType: "error",
    issueCategory: "error",
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: false,
    annotations: [],
    isUnhandled: false,
    count: "2",
    userCount: 2,
    firstSeen: iso(clock.at - hourMs),
    lastSeen: iso(clock.at),
    firstRelease: release("web@1.0"),
    lastRelease: release("web@1.1"),
    faultline: { settledLastSeen: iso(clock.at - hourMs), reopened: null },
  });
  const day = (stats as { "24h": [number, number][] })["24h"];
  assert.is(day.length, 24);
  assert.equal(day.slice(-2), [
    [(clock.at - hourMs) / 1000, 1],
    [clock.at / 1000, 1],
  ]);
});

test("an issue of messages has its words as title and value", async () => {
  const issue = await one(`/issues/${messageId}/`);
  assert.equal([issue["type"], issue["metadata"]], ["default", { title: "only words", value: "only words" }]);
});

test("the details of an issue count its last day and its last thirty, and both addresses have it", async () => {
  const issue = await one(`/issues/${errorId}/`);
  const { "24h": day = [], "30d": month = [] } = issue["stats"] as Record<string, [number, number][]>;
  assert.is(day.length, 24);
  assert.is(month.length, 30);
  assert.is(month.at(-1)?.[1], 2);
  for (const list of ["activity", "annotations", "seenBy", "participants", "pluginIssues", "tags"]) {
    assert.equal(issue[list], [], list);
  }
  assert.equal(await one(`/organizations/acme/issues/${errorId}/`), issue);
  assert.equal(await one(`/groups/${errorId}/`), issue);
  assert.is((await webApi(server, `GET /organizations/-/issues/${errorId}/`)).status, 404);
});

test("statsPeriod chooses what a list counts for each issue", async () => {
  const names = async (query: string) => {
    const [issue] = await many(`/projects/acme/web/issues/?${query}`);
    return Object.entries((issue?.["stats"] ?? {}) as Shape).map(([name, list]) => [name, (list as []).length]);
  };
  assert.equal(await names(""), [["24h", 24]]);
  assert.equal(await names("statsPeriod=24h"), [["24h", 24]]);
  assert.equal(await names("statsPeriod=14d"), [["14d", 14]]);
  assert.equal(await names("statsPeriod="), []);
});

const titles = async (path: string) => (await many(path)).map(({ title }) => title);

test("the query holds status and search: unresolved issues where there is none, all where it is empty", async () => {
  const list = "/projects/acme/web/issues/";
  const resolvedId = await stored(web, { message: "was mended" });
  await client.errors.updateErrors(
    { projectId: web.id, changes: [{ errorId: resolvedId, status: ErrorStatus.RESOLVED }] },
    client.auth,
  );
  assert.is((await titles(list)).length, 2);
  assert.is((await titles(`${list}?query=`)).length, 3);
  assert.equal(await titles(`${list}?query=is:resolved`), ["was mended"]);
  assert.equal(await titles(`${list}?query=is:ignored`), []);
  assert.equal(await titles(`${list}?query=is:unresolved+words`), ["only words"]);
  assert.equal(await titles(`${list}?query=%22only+words%22`), ["only words"]);
  assert.equal(await titles(`${list}?query=level:warning`), ["only words"]);
  assert.equal(await titles(`${list}?query=&environment=staging`), ["only words"]);
  assert.equal(await titles(`${list}?query=is:resolved+words`), []);
  assert.equal(await titles(`${list}?query=is:resolved+is:ignored`), []);
  assert.is((await titles(`${list}?query=!is:resolved`)).length, 2);
  assert.equal(await titles(`${list}?query=&environment=staging&environment=none`), ["only words"]);
  for (const query of ["is:assigned", "is:", "is:__proto__", "%22open", "a+OR+b"]) {
    assert.is((await webApi(server, `GET ${list}?query=${query}`)).status, 400, query);
  }
});

test("the events of an issue match the search and the environment of the call", async () => {
  const releases = async (query: string) =>
    (await many(`/issues/${errorId}/events/?full=1&${query}`)).map((event) => (event["release"] as Shape)["version"]);
  assert.equal(await releases(""), ["web@1.1", "web@1.0"]);
  assert.equal(await releases("query=release:web@1.0"), ["web@1.0"]);
  assert.equal(await releases("environment=staging"), []);
});

test("the releases of an organization and a project: known by events and sessions, named, with the errors that began in them", async () => {
  const form = (release: Shape) => [release["version"], release["newGroups"], release["projects"]];
  const named = (newGroups: number, slug = "web") => ({ slug, name: slug, newGroups });
  const expected = [
    ["web@1.1", 0, [named(0)]],
    ["web@1.0", 1, [named(1)]],
  ];
  for (const path of ["/projects/acme/web/releases/", `/organizations/acme/releases/?project=${web.id}`]) {
    assert.equal((await many(path)).map(form).toSorted(), expected.toSorted(), path);
  }
  const all = await many("/organizations/acme/releases/");
  assert.equal(form(all.find(({ version }) => version === "web@1.0") ?? {}), [
    "web@1.0",
    2,
    [named(1, "team~Web"), named(1)],
  ]);
  assert.equal(
    (await many("/organizations/acme/releases/?query=1.1")).map(({ version }) => version),
    ["web@1.1"],
  );
  await client.releaseRecords.recordRelease({ projectId: web.id, version: "web@1.0" }, client.auth);
  assert.equal(form(await one("/projects/acme/web/releases/web@1.0/")), expected[1]);
  const first = await webApi(server, "GET /organizations/acme/releases/?per_page=1");
  const next = /cursor="([^"]+)"/.exec(String(first.headers["link"]))?.[1] ?? "";
  const second = await many(`/organizations/acme/releases/?per_page=1&cursor=${next}`);
  assert.is((first.json as Shape[]).length + second.length, 2);
  assert.is.not((first.json as Shape[])[0]?.["version"], second[0]?.["version"]);
  for (const query of ["environment=production", "statsPeriod=1h", "status=open", `project=${alone.id}`]) {
    const { status, text } = await webApi(server, `GET /organizations/acme/releases/?${query}`);
    assert.ok(status === 400 || status === 404, `${query}: ${text}`);
  }
});

test("a short id and the id of an event are a direct hit, in the project of the issue alone", async () => {
  const shortId = `WEB-${errorId}`;
  const { event } = await client.errors.getEvent({ projectId: web.id, errorId }, client.auth);
  for (const query of [shortId, event?.eventId]) {
    const { json, headers } = await webApi(server, `GET /projects/acme/web/issues/?query=${query}&shortIdLookup=1`);
    assert.equal([(json as Shape[]).map(({ id }) => id), headers["x-sentry-direct-hit"]], [[errorId], "1"]);
  }
  const elsewhere = await webApi(server, `GET /projects/acme/team~Web/issues/?query=${shortId}`);
  assert.equal([elsewhere.json, elsewhere.headers["x-sentry-direct-hit"]], [[], undefined]);
});

test("projects and organizations are named by the parts of the path, and by nothing else", async () => {
  const listed = await many("/projects/");
  const pairs = listed.map(({ slug, organization }) => `${(organization as Shape)["slug"]} | ${slug as string}`);
  assert.equal(pairs.toSorted(), ["- | alone", "acme | team~Web", "acme | web"]);
  assert.equal(
    (await many("/organizations/acme/projects/")).map(({ slug }) => slug),
    ["team~Web", "web"],
  );
  assert.equal((await many("/organizations/")).map(({ slug, name }) => [slug, name]).toSorted(), [
    ["-", "-"],
    ["acme", "acme"],
  ]);
  assert.is((await one("/organizations/acme/"))["slug"], "acme");
  const found = async (path: string) => {
    const { status, json } = await webApi(server, `GET ${path}`);
    return status === 200 ? (json as Shape)["id"] : status;
  };
  assert.is(await found("/projects/acme/web/"), String(web.id));
  assert.is(await found("/projects/ACME/WEB/"), String(web.id));
  assert.is(await found(`/projects/acme/${web.id}/`), String(web.id));
  assert.is(await found("/projects/acme/team~Web/"), String(deep.id));
  assert.is(await found("/projects/-/alone/"), String(alone.id));
  const missing = [
    "/projects/-/web/",
    "/projects/-/acme~web/",
    "/projects/-/acme%2Fweb/",
    "/projects/acme/team%2FWeb/",
    "/projects/acme%2Fteam/Web/",
    `/projects/-/${web.id}/`,
    "/projects/acme/999/",
    "/organizations/nowhere/",
    "/organizations/nowhere/projects/",
    "/organizations/nowhere/issues/",
  ];
  for (const path of missing) assert.is(await found(path), 404, path);
});

test("the issues of an organization are the issues of all its projects, or of the named ones", async () => {
  const ids = async (query: string) => (await many(`/organizations/acme/issues/?${query}`)).map(({ id }) => id);
  assert.equal(await ids("query=x"), [deepId, errorId]);
  assert.equal(await ids(`query=x&project=${web.id}`), [errorId]);
  assert.equal(await ids(`query=x&project=${web.id}&project=${deep.id}&sort=freq`), [errorId, deepId]);
  assert.equal(await ids("query=x&project=-1&limit=1"), [deepId]);
  assert.equal(await ids(`group=${errorId}&group=${deepId}&group=999`), [errorId, deepId]);
  assert.equal(await ids(`group=${errorId}&group=${deepId}&project=${deep.id}`), [deepId]);
  for (const query of [`project=${alone.id}`, "project=web", "project=999", "cursor=1:1:1:1", "group=x"]) {
    const { status, json } = await webApi(server, `GET /organizations/acme/issues/?${query}`);
    assert.is(status, 400, query);
    assert.type((json as Shape)["detail"], "string");
  }
});

const statusOf = async (id: string) => (await one(`/issues/${id}/`))["status"];

test("a status is set by its words, and the answer is the issue as it is then", async () => {
  for (const [word, status] of [
    ["resolved", "resolved"],
    ["unresolved", "unresolved"],
    ["ignored", "ignored"],
    ["resolvedInNextRelease", "resolved"],
    ["muted", "ignored"],
    ["unresolved", "unresolved"],
  ]) {
    const answer = await webApi(server, `PUT /issues/${errorId}/`, { body: { status: word, hasSeen: true } });
    assert.is(answer.status, 200);
    const { id, status: answered } = answer.json as Shape;
    assert.equal([id, answered, await statusOf(errorId)], [errorId, status, status]);
  }
});

test("an update that Faultline cannot make is refused, and changes nothing", async () => {
  const bodies: unknown[] = [
    {},
    { status: "gone" },
    { status: "__proto__" },
    { status: 1 },
    { status: ["resolved"] },
    { hasSeen: true },
    { status: "ignored", statusDetails: { ignoreDuration: 30 } },
    { status: "ignored", ignoreDuration: 30 },
    { status: "ignored", substatus: "archived_until_escalating" },
    { status: "resolved", assignedTo: "user:1" },
    { status: "resolved", statusDetails: { inRelease: "latest" } },
    [],
    "resolved",
    null,
  ];
  for (const body of bodies) {
    for (const path of [`/issues/${errorId}/`, `/projects/acme/web/issues/?id=${errorId}`]) {
      const { status, json } = await webApi(server, `PUT ${path}`, { body });
      assert.equal([path, body, status], [path, body, 400]);
      assert.type((json as Shape)["detail"], "string");
    }
  }
  assert.is(await statusOf(errorId), "unresolved");
});

test("several issues are set in one call, of the project or of the organization", async () => {
  const put = (path: string, status: string) => webApi(server, `PUT ${path}`, { body: { status } });
  const ids = `id=${errorId}&id=${messageId}&id=${deepId}&id=999`;
  const ofProject = await put(`/projects/acme/web/issues/?${ids}`, "resolved");
  assert.equal([ofProject.status, ofProject.json], [200, { status: "resolved", statusDetails: {}, inbox: null }]);
  assert.equal(
    [await statusOf(errorId), await statusOf(messageId), await statusOf(deepId)],
    ["resolved", "resolved", "unresolved"],
  );
  assert.is((await put(`/organizations/acme/issues/?${ids}`, "unresolved")).status, 200);
  assert.is((await put(`/organizations/acme/issues/?id=${aloneId}`, "resolved")).status, 204);
  assert.is(await statusOf(aloneId), "unresolved");
  assert.equal([await statusOf(errorId), await statusOf(deepId)], ["unresolved", "unresolved"]);
  const nothing = await put(`/projects/-/alone/issues/?${ids}`, "resolved");
  assert.equal([nothing.status, nothing.text], [204, ""]);
  assert.is(await statusOf(errorId), "unresolved");
  assert.is((await put("/projects/acme/web/issues/", "resolved")).status, 400);
  const tooMany = Array.from({ length: 101 }, (_, n) => `id=${n + 1}`).join("&");
  assert.is((await put(`/projects/acme/web/issues/?${tooMany}`, "resolved")).status, 400);
});

test("an event is found by its place among the events of its issue, by its id, and as it was sent", async () => {
  const events = await many(`/issues/${errorId}/events/`);
  const [newest = {}, oldest = {}] = events;
  assert.is(events.length, 2);
  for (const [name, event] of [
    ["latest", newest],
    ["recommended", newest],
    ["oldest", oldest],
    [String(oldest["eventID"]), oldest],
  ] as const) {
    assert.is((await one(`/issues/${errorId}/events/${name}/`))["eventID"], event["eventID"], name);
  }
  const latest = await one(`/issues/${errorId}/events/latest/`);
  assert.equal([latest["nextEventID"], latest["previousEventID"]], [null, oldest["eventID"]]);
  const [full] = await many(`/issues/${errorId}/events/?full=1`);
  assert.equal(full, latest);
  const path = `/projects/acme/web/events/${newest["eventID"] as string}/`;
  assert.equal(await one(path), latest);
  assert.equal((await one(`${path}json/`))["exception"], thrown.exception);
  for (const missing of [
    `/issues/${messageId}/events/${newest["eventID"] as string}/`,
    `/projects/acme/team~Web/events/${newest["eventID"] as string}/`,
    `/issues/${errorId}/events/none/`,
    `/issues/999/events/latest/`,
  ]) {
    assert.is((await webApi(server, `GET ${missing}`)).status, 404, missing);
  }
});

test("feedback about an event is returned with the event", async () => {
  const [event] = await many(`/issues/${errorId}/events/`);
  const eventId = event?.["eventID"] as string;
  const report = { event_id: eventId, name: "Ann", email: "ann@example.com", comments: "It broke." };
  const sent = await sendEnvelope(server, web, envelope(eventId, [{ type: "user_report" }, report]));
  assert.is(sent.status, 200);
  const { userReport } = await one(`/issues/${errorId}/events/latest/`);
  const { dateCreated, ...fields } = userReport as Shape;
  assert.equal(fields, { id: eventId, eventID: eventId, name: "Ann", email: "ann@example.com", comments: "It broke." });
  assert.is(dateCreated, iso(clock.at));
});

test("an event is returned exactly as it was sent, and an event that is not JSON as an empty object", async () => {
  const eventId = newEventId();
  const text = `{ "event_id":"${eventId}", "message":"exact",  "extra":{"n":1.50e2,"big":12345678901234567890} }`;
  const sent = await sendEnvelope(server, web, `{"event_id":"${eventId}"}\n{"type":"event"}\n${text}`);
  assert.is(sent.status, 200);
  assert.is((await webApi(server, `GET /projects/acme/web/events/${eventId}/json/`)).text, text);

  const reported = newEventId();
  const event = { projectId: web.id, eventId: reported, message: "by gRPC", payload: Buffer.from("no JSON") };
  await client.ingest.reportEvents({ events: [event] }, client.auth);
  const path = `/projects/acme/web/events/${reported}/`;
  assert.is((await one(path))["eventID"], reported);
  assert.equal(await one(`${path}json/`), {});
});

test("the counts of an issue are returned for the hours that are asked for", async () => {
  const stats = async (query: string) => {
    const { status, json } = await webApi(server, `GET /issues/${errorId}/stats/?${query}`);
    return status === 200 ? (json as [number, number][]) : status;
  };
  const now = clock.at / 1000;
  const day = await stats("");
  assert.is((day as []).length, 25); // as in the original, where the day begins within an hour
  assert.equal(await stats(`since=${now - 3600}&until=${now + 3599}&resolution=1h`), [
    [now - 3600, 1],
    [now, 1],
  ]);
  for (const query of [
    "resolution=10s",
    "since=x",
    "until=1e3",
    "since=2&until=1",
    `since=0&until=${now}`,
    "since=0&until=99999999999",
    "until=999999999999",
  ]) {
    assert.is(await stats(query), 400, query);
  }
});

test("the release of an issue and of an event has the commit that it names", async () => {
  const commit = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";
  const committed = await projectAt("other/committed");
  const id = await stored(committed, { ...thrown, release: `web@1.2+${commit}` });
  const lastCommit = { id: commit, message: null, dateCreated: null };
  const issue = await one(`/issues/${id}/`);
  const event = await one(`/issues/${id}/events/latest/`);
  for (const release of [issue["firstRelease"], issue["lastRelease"], event["release"]])
    assert.equal((release as Shape)["lastCommit"], lastCommit);
});

test("projects that read another system are not served, and neither is what was stored of them before", async () => {
  const moved = await projectAt("acme/moved");
  const id = await stored(moved, thrown);
  assert.is((await webApi(server, `GET /issues/${id}/`)).status, 200);
  const externalProject = { id: "9", slug: "x", name: "X", organizationSlug: "y", organizationName: "Y" };
  const external = { externalApiUrl: "https://errors.example.com", externalAuthToken: "secret", externalProject };
  const settings = { projectId: moved.id, active: true, backend: Backend.EXTERNAL, ...external };
  await client.settings.updateSettings(settings, client.auth);
  const { project } = await client.projects.getProject({ key: { case: "projectId", value: moved.id } }, client.auth);
  assert.is(project?.capabilities?.retentionDays, 0);
  assert.not((await many("/projects/")).some(({ slug }) => slug === "moved"));
  for (const path of [
    "/projects/acme/moved/",
    "/projects/acme/moved/issues/",
    `/issues/${id}/`,
    `/issues/${id}/events/latest/`,
  ]) {
    const { status, json } = await webApi(server, `GET ${path}`);
    assert.equal([path, status, json], [path, 404, { detail: "The requested resource does not exist" }]);
  }
});

test("start, end and statsPeriod choose the issues of a window, and never the whole list", async () => {
  const ofWeb = [errorId, messageId]; // other tests store more
  const within = async (path: string) =>
    (await many(path)).map(({ id }) => String(id)).filter((id) => ofWeb.includes(id));
  const at = (ms: number) => encodeURIComponent(iso(ms));
  const [old, now] = [storedAt - hourMs, storedAt]; // an error has events at both times, the other one now
  const both = [messageId, errorId].toSorted();
  for (const list of ["/projects/acme/web/issues/?", `/organizations/acme/issues/?project=${web.id}&`]) {
    const window = (start: number, end: number) => `${list}query=&start=${at(start)}&end=${at(end)}`;
    assert.equal((await within(window(old - 60_000, now + 60_000))).toSorted(), both, list);
    assert.equal(await within(window(old - 60_000, now - 60_000)), [errorId], list);
    assert.equal(await within(window(old - 120_000, old - 60_000)), [], list);
    assert.equal(await within(window(now + 60_000, now + 120_000)), [], list);
  }
  const organization = `/organizations/acme/issues/?project=${web.id}&query=`;
  assert.equal((await within(`${organization}&statsPeriod=5m`)).toSorted(), both);
  clock.at += 2 * hourMs;
  assert.equal(await within(`${organization}&statsPeriod=1h`), []);
  assert.equal((await within(`${organization}&statsPeriod=4h`)).toSorted(), both);
  for (const query of ["statsPeriod=soon", "start=2024-05-01", "statsPeriod=1h&start=2024-05-01&end=2024-05-02"]) {
    assert.is((await webApi(server, `GET ${organization}&${query}`)).status, 400, query);
  }
});

test.run();
