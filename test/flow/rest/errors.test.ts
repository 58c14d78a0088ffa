import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const other = await createProject(server);
const path = `/projects/${project.id}/error_tracking`;
const reporter = await newMember(client, project.id, Role.REPORTER);
const developer = await newMember(client, project.id, Role.DEVELOPER);
const guest = await newMember(client, project.id, Role.GUEST);
const readOnly = await newMember(client, project.id, Role.DEVELOPER, ["read_api"]);

type Body = Record<string, unknown> & { readonly id: string };

/** Reports an event of the error `type`. */
async function report(type: string, fields: Record<string, unknown> = {}, to: Project = project): Promise<string> {
  const frames = [{ filename: "app.js", function: "run", lineno: 7, in_app: true, vars: { n: 1 } }];
  const event = {
    event_id: newEventId(),
    platform: "node",
    exception: { values: [{ type, value: `${type} happened`, stacktrace: { frames } }] },
    ...fields,
  };
  await assertAnswer(sendEvent(server, to, event), 200);
  return event.event_id;
}

async function list(query: string, token = reporter.token): Promise<Body[]> {
  const answer = await answered(rest(server, `GET ${path}/errors?per_page=100&${query}`, { token }), 200);
  return answer.json as Body[];
}

async function find(type: string): Promise<Body> {
  const found = (await list("status=all")).find((error) => error["type"] === type);
  assert.ok(found, `${type} is not listed`);
  return found;
}

const typesOf = (errors: readonly Body[]) => errors.map((error) => error["type"]);

test("an error is listed with its counts, its times in ISO 8601 and its id as text", async () => {
  await report("Listed", { user: { id: "1" }, release: "shop@1", level: "fatal" });
  await report("Listed", { user: { id: "2" }, release: "shop@2", level: "fatal" });
  const error = await find("Listed");
  const wanted = {
    title: "Listed: Listed happened",
    message: "Listed happened",
    status: "unresolved",
    count: 2,
    user_count: 2,
    project_id: project.id,
    level: "fatal",
    platform: "node",
    external_url: null,
    first_release: "shop@1",
    last_release: "shop@2",
    first_commit: null,
    last_commit: null,
    first_release_url: null,
    last_release_url: null,
    status_changed_at: null,
    reopened_at: null,
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(error[name], value, name);
  assert.match(error.id, /^\d+$/);
  for (const name of ["first_seen", "last_seen"]) assert.match(String(error[name]), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  const hours = error["hourly_counts"] as number[];
  assert.is(hours.length, 24);
  assert.is(
    hours.reduce((sum, count) => sum + count),
    2,
  );

  const { hourly_counts: _, ...alone } = error;
  await assertAnswer(rest(server, `GET ${path}/errors/${error.id}`, { token: reporter.token }), 200, alone);
});

const sha = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";

test("frames and releases link to the code where the project says where it is", async () => {
  const linked = await createProject(server);
  const errors = `/projects/${linked.id}/error_tracking/errors`;
  await report("Linked", { release: "shop@1" }, linked);
  const hostile = { filename: "../../../evil.js", function: "run", lineno: 7, in_app: true };
  const library = { filename: "lib/x.js", function: "run", lineno: 7, in_app: false };
  const own = { filename: "/srv/app/src/cart.js", function: "run", lineno: 7, in_app: true };
  const values = [{ type: "Linked", value: "again", stacktrace: { frames: [hostile, library, own] } }];
  await report("Linked", { release: `shop@2+${sha}`, exception: { values }, fingerprint: ["links"] }, linked);
  const urlsOf = async () => {
    const listed = (await answered(rest(server, `GET ${errors}?sort=first_seen`), 200)).json as Body[];
    const [error] = listed;
    const event = (await answered(rest(server, `GET ${errors}/${error?.id}/events/latest`), 200)).json as Body;
    const exceptions = event["exceptions"] as { frames: { code_url?: string }[] }[];
    const releases = listed.map((one) => [one["first_commit"], one["first_release_url"], one["last_release_url"]]);
    return { releases, frames: exceptions[0]?.frames.map((frame) => frame.code_url), commit: event["commit"] };
  };
  assert.equal(await urlsOf(), {
    releases: [
      [sha, null, null],
      [null, null, null],
    ],
    frames: ["", "", ""],
    commit: sha,
  });
  const base = "https://git.example.com/acme/web/-";
  const body = { code_url: `${base}/blob/{revision}/{path}#L{line}`, code_root: "/srv/app" };
  await answered(rest(server, `PUT /projects/${linked.id}`, { body }), 200);
  assert.equal(await urlsOf(), {
    releases: [
      [sha, `${base}/commit/${sha}`, `${base}/commit/${sha}`],
      [null, `${base}/tags/shop%401`, `${base}/tags/shop%401`],
    ],
    frames: ["", "", `${base}/blob/${sha}/src/cart.js#L7`],
    commit: sha,
  });
});

test("the list holds what is unresolved unless it is asked for another status, or all", async () => {
  await report("Open");
  await report("Closed");
  const { id } = await find("Closed");
  await assertAnswer(rest(server, `PUT ${path}/errors/${id}`, { body: { status: "resolved" } }), 200);
  const among = async (query: string) =>
    typesOf(await list(query))
      .filter((type) => type === "Open" || type === "Closed")
      .toSorted();
  assert.equal(await among(""), ["Open"]);
  assert.equal(await among("status=unresolved"), ["Open"]);
  assert.equal(await among("status=resolved"), ["Closed"]);
  assert.equal(await among("status=ignored"), []);
  assert.equal(await among("status=all"), ["Closed", "Open"]);
});

test("a search finds by word and by key", async () => {
  await report("Wanted", { environment: "moon", tags: { planet: "mars" } });
  for (const query of ["wanted", "environment:moon", "planet:mars", "wanted planet:mars"])
    assert.equal(typesOf(await list(`query=${encodeURIComponent(query)}`)), ["Wanted"], query);
  assert.equal(await list("query=planet:venus"), []);
});

for (const [sort, order] of [
  ["last_seen", ["Newest", "Often", "Old"]],
  ["last_seen_desc", ["Newest", "Often", "Old"]],
  ["first_seen", ["Newest", "Often", "Old"]],
  ["frequency", ["Often", "Newest", "Old"]],
  ["users", ["Newest", "Often", "Old"]],
  ["frequency_desc", ["Often", "Newest", "Old"]],
] as const)
  test(`sort=${sort} puts first what that asks for`, async () => {
    const tag = `sort-${sort}`;
    const secondsAgo = (seconds: number) => ({ tags: { sorted: tag }, timestamp: Date.now() / 1000 - seconds });
    await report("Old", { ...secondsAgo(300), fingerprint: [tag, "old"] });
    for (const seconds of [200, 190, 180])
      await report("Often", { ...secondsAgo(seconds), fingerprint: [tag, "often"] });
    for (const seconds of [20, 10]) await report("Newest", { ...secondsAgo(seconds), fingerprint: [tag, "newest"] });
    const sorted = typesOf(await list(`sort=${sort}&query=sorted:${tag}`));
    assert.equal(sorted.slice(0, 2), order.slice(0, 2));
    assert.equal(sorted, [...order]);
  });

test("pages are linked both ways, and each error is on one of them", async () => {
  const types = ["Page1", "Page2", "Page3", "Page4", "Page5"];
  for (const type of types) await report(type, { tags: { paged: "yes" } });
  const first = await rest(server, `GET ${path}/errors?per_page=2&query=paged:yes`, { token: reporter.token });
  assert.is(linkedPage(first, "prev"), undefined);
  const second = await rest(server, `GET ${linkedPage(first, "next")}`, { token: reporter.token });
  const third = await rest(server, `GET ${linkedPage(second, "next")}`, { token: reporter.token });
  assert.is(linkedPage(third, "next"), undefined);
  const all = [first, second, third].flatMap(({ json }) => typesOf(json as Body[]));
  assert.equal(all.toSorted(), types);
  const back = await rest(server, `GET ${linkedPage(second, "prev")}`, { token: reporter.token });
  assert.equal(back.json, first.json);
});

test("a cursor of another list, or made up, is answered 400", async () => {
  for (const cursor of ["x", "W10", "eyJhIjoxfQ"])
    await assertAnswer(rest(server, `GET ${path}/errors?cursor=${cursor}`), 400, { error: "cursor is invalid" });
});

for (const [query, error] of [
  ["status=muted", "status does not have a valid value"],
  ["sort=events", "sort does not have a valid value"],
  ["sort=frequency_asc", "sort does not have a valid value"],
  ["per_page=0", "per_page is invalid"],
  ["per_page=1e1", "per_page is invalid"],
] as const)
  test(`GET errors?${query} is answered 400: ${error}`, () =>
    assertAnswer(rest(server, `GET ${path}/errors?${query}`), 400, { error }));

test("a developer changes the status, and a reporter and a token that only reads do not", async () => {
  await report("Changed");
  const { id } = await find("Changed");
  const put = (token: string, body: object) => rest(server, `PUT ${path}/errors/${id}`, { token, body });
  await assertAnswer(put(reporter.token, { status: "ignored" }), 403, { message: "403 Forbidden" });
  assert.is((await put(readOnly.token, { status: "ignored" })).status, 403);
  assert.is((await find("Changed"))["status"], "unresolved");
  const changed = await answered(put(developer.token, { status: "ignored" }), 200);
  assert.is((changed.json as Body)["status"], "ignored");
  assert.ok((changed.json as Body)["status_changed_at"]);
  await assertAnswer(put(developer.token, {}), 400, { error: "status is missing" });
  await assertAnswer(put(developer.token, { status: "done" }), 400, { error: "status does not have a valid value" });
});

test("a guest reads no errors, and people who are not members do not see the project", async () => {
  await assertAnswer(rest(server, `GET ${path}/errors`, { token: guest.token }), 403, { message: "403 Forbidden" });
  await assertAnswer(rest(server, `GET /projects/${other.id}/error_tracking/errors`, { token: developer.token }), 404, {
    message: "404 Project Not Found",
  });
});

test("many errors get a status in one call, which returns how to undo it", async () => {
  for (const type of ["Many1", "Many2"]) await report(type);
  const ids = [(await find("Many1")).id, (await find("Many2")).id];
  const bulk = (body: object) => rest(server, `POST ${path}/errors/bulk`, { token: developer.token, body });
  const answer = await answered(bulk({ ids: [...ids, "999999999"], status: "resolved" }), 200);
  const { errors, undo } = answer.json as { errors: Body[]; undo: Body[] };
  assert.equal(errors.map(({ id, status }) => [id, status]).toSorted(), ids.map((id) => [id, "resolved"]).toSorted());
  assert.equal(undo.map(({ id, status }) => [id, status]).toSorted(), ids.map((id) => [id, "unresolved"]).toSorted());
  await assertAnswer(bulk({ status: "resolved" }), 400, { error: "ids is missing" });
  await assertAnswer(bulk({ ids: ["1", { id: 2 }], status: "resolved" }), 400, { error: "ids is invalid" });
  assert.is((await bulk({ ids: [], status: "resolved" })).status, 400);
});

test("an error of another project is answered like one that is missing", async () => {
  await report("Elsewhere", {}, other);
  const answer = await rest(server, `GET /projects/${other.id}/error_tracking/errors`);
  const [{ id = "" } = {}] = answer.json as Body[];
  assert.match(id, /^\d+$/);
  const notFound = { message: "404 Error Not Found" };
  for (const one of [id, "999999999"]) {
    await assertAnswer(rest(server, `GET ${path}/errors/${one}`), 404, notFound);
    await assertAnswer(rest(server, `PUT ${path}/errors/${one}`, { body: { status: "resolved" } }), 404, notFound);
    await assertAnswer(rest(server, `GET ${path}/errors/${one}/events`), 404, notFound);
    await assertAnswer(rest(server, `GET ${path}/errors/${one}/stats`), 404, notFound);
  }
  const kept = await rest(server, `GET /projects/${other.id}/error_tracking/errors/${id}`);
  assert.is((kept.json as Body)["status"], "unresolved");
});

test("the bar graph has a count for each hour of the period", async () => {
  await report("Graph");
  const { id } = await find("Graph");
  for (const [query, hours] of [
    ["", 24],
    ["?period=7d", 168],
    ["?period=90d", 2160],
  ] as const) {
    const answer = await answered(rest(server, `GET ${path}/errors/${id}/stats${query}`), 200);
    const { start, interval, counts } = answer.json as { start: string; interval: string; counts: number[] };
    assert.is(interval, "1h");
    assert.is(counts.length, hours);
    assert.is(
      counts.reduce((sum, count) => sum + count),
      1,
    );
    assert.match(start, /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
  }
  await assertAnswer(rest(server, `GET ${path}/errors/${id}/stats?period=1y`), 400, {
    error: "period does not have a valid value",
  });
});

test("the events of an error come newest first, in pages", async () => {
  const sent: string[] = [];
  for (const seconds of [40, 30, 20]) sent.unshift(await report("Events", { timestamp: Date.now() / 1000 - seconds }));
  const { id } = await find("Events");
  const first = await answered(rest(server, `GET ${path}/errors/${id}/events?per_page=2`), 200);
  const second = await answered(rest(server, `GET ${linkedPage(first, "next")}`), 200);
  assert.is(linkedPage(second, "next"), undefined);
  const ids = [first, second].flatMap(({ json }) => (json as Body[]).map((event) => event.id));
  assert.equal(ids, sent);
  await assertAnswer(rest(server, `GET ${path}/errors/${id}/events?sort=occurred_at_asc`), 400, {
    error: "sort does not have a valid value",
  });
});

test("an event is answered whole, with its stack and its neighbours", async () => {
  const older = await report("Whole", { timestamp: Date.now() / 1000 - 20 });
  const newer = await report("Whole", {
    user: { id: "42", email: "ann@example.com", plan: "gold" },
    tags: { planet: "mars" },
    breadcrumbs: [{ timestamp: 1_700_000_000, category: "nav", message: "home" }],
    request: { url: "https://shop.example/cart", method: "POST", headers: { accept: "text/html" } },
    extra: { cart: [1, 2] },
    contexts: { os: { name: "Plan 9" } },
    sdk: { name: "sentry.test", version: "1.2.3" },
    release: "shop@1",
  });
  const { id } = await find("Whole");
  const answer = await answered(rest(server, `GET ${path}/events/${newer}`, { token: reporter.token }), 200);
  const event = answer.json as Body;
  assert.is(event.id, newer);
  assert.is(event["error_id"], id);
  assert.is(event["older_event_id"], older);
  assert.is(event["newer_event_id"], null);
  assert.equal(event["tags"], { planet: "mars" });
  assert.equal(event["extra"], { cart: [1, 2] });
  assert.is(event["release"], "shop@1");
  assert.is(event["logger"], null);
  const [exception] = event["exceptions"] as { type: string; frames: Record<string, unknown>[] }[];
  assert.is(exception?.type, "Whole");
  assert.equal(
    ["filename", "function", "lineno", "in_app", "vars"].map((name) => exception?.frames[0]?.[name]),
    ["app.js", "run", 7, true, { n: 1 }],
  );
  const part = (name: string) => event[name] as Record<string, unknown>;
  assert.is(part("user")["email"], "ann@example.com");
  assert.is(part("request")["method"], "POST");
  assert.is(part("sdk")["version"], "1.2.3");
  assert.equal(part("contexts")["os"], { name: "Plan 9" });
  const [crumb] = event["breadcrumbs"] as Record<string, unknown>[];
  assert.is(crumb?.["timestamp"], "2023-11-14T22:13:20.000Z");

  for (const [position, eventId] of [
    ["latest", newer],
    ["oldest", older],
  ] as const) {
    const at = await answered(rest(server, `GET ${path}/errors/${id}/events/${position}`), 200);
    assert.is((at.json as Body).id, eventId);
  }
});

test("an event with many long stacks shows 1,000 frames, the newest of each, and names the rest", async () => {
  const frames = Array.from({ length: 240 }, (_, n) => ({ function: `f${n}` }));
  const values = Array.from({ length: 50 }, (_, n) => ({ type: `Nested${n}`, value: "x", stacktrace: { frames } }));
  const eventId = await report("Nested", { exception: { values } });
  const answer = await answered(rest(server, `GET ${path}/events/${eventId}`), 200);
  const { exceptions, trimmed } = answer.json as {
    exceptions: { frames: { function: string }[] }[];
    trimmed: object[];
  };
  assert.equal(
    exceptions.map((exception) => [exception.frames.length, exception.frames.at(-1)?.function]),
    Array.from({ length: 50 }, () => [20, "f239"]),
  );
  assert.is(trimmed.length, 50);
});

test("the payload of an event is answered as it was sent", async () => {
  const eventId = await report("Sent", { extra: { id: "x", deep: { list: [null, true, 1.5] } } });
  const answer = await answered(rest(server, `GET ${path}/events/${eventId}/payload`), 200);
  const payload = answer.json as Body;
  assert.is(payload["event_id"], eventId);
  assert.equal(payload["extra"], { id: "x", deep: { list: [null, true, 1.5] } });
  assert.match(String(answer.headers["content-type"]), "application/json");
});

test("an event of another project is answered like one that is missing", async () => {
  const elsewhere = await report("ElsewhereEvent", {}, other);
  for (const eventId of [elsewhere, newEventId(), "latest", "0".repeat(33)]) {
    await assertAnswer(rest(server, `GET ${path}/events/${eventId}`), 404, { message: "404 Event Not Found" });
    await assertAnswer(rest(server, `GET ${path}/events/${eventId}/payload`), 404, { message: "404 Event Not Found" });
  }
});

test("an error's events are broken down by user, release and tag", async () => {
  const newest = await report("Divided", { user: { id: "1", email: "ann@example.com" }, release: "shop@1" });
  const { id } = await find("Divided");
  const answer = await answered(rest(server, `GET ${path}/errors/${id}/breakdown`, { token: reporter.token }), 200);
  const { tags, users, releases, ...counts } = answer.json as Record<string, Record<string, unknown>[]>;
  assert.equal(
    tags?.map(({ key, count }) => [key, count]),
    [
      ["level", 1],
      ["release", 1],
    ],
  );
  const [ann] = users ?? [];
  assert.equal([ann?.["user"], ann?.["newest_event_id"]], ["id:1", newest]);
  assert.is((ann?.["names"] as Body | undefined)?.["email"], "ann@example.com");
  assert.equal([releases?.[0]?.["version"], releases?.[0]?.["count"]], ["shop@1", 1]);
  assert.equal([counts["examined_count"], counts["count"], counts["user_count"]], [1, 1, 1]);
  await assertAnswer(rest(server, `GET ${path}/errors/${id}/breakdown`, { token: guest.token }), 403);
  await assertAnswer(rest(server, `GET ${path}/errors/999999999/breakdown`, { token: reporter.token }), 404);
});

test.run();
