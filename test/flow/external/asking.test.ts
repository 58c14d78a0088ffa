import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { timestamp } from "@faultline/plugin";
import { ErrorSort, ErrorStatus, EventPosition, SourceMapVerdict } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { acme, shop } from "../../support/external/played-sentry/data.ts";
import { wireEvent } from "../../support/external/played-sentry/wire-event.ts";
import { repeatedItems } from "../../support/external/repeated-items.ts";
import type { GrpcClient } from "../../support/core/grpc.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";

/** A project of an external system that is well, and the calls for it. */

const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
const clock = movableClock();
const minute = 60_000;
const start = clock.at + 30 * minute;
clock.at = start;

const payload = (value: string) => ({
  exception: { values: [{ type: "TypeError", value, stacktrace: { frames: [{ filename: "app.js", lineno: 3 }] } }] },
  user: { id: "ann" },
});
/** An event of which the system has mapped the second frame. */
const mappedPayload = {
  platform: "javascript",
  exception: {
    values: [
      {
        type: "TypeError",
        value: "total is undefined",
        stacktrace: {
          frames: [
            { filename: "node_modules/run.js", function: "run", lineno: 7 },
            { filename: "./cart.ts", function: "total", lineno: 3, context_line: "return sum;" },
          ],
        },
        raw_stacktrace: {
          frames: [
            { filename: "node_modules/run.js", function: "run", lineno: 7 },
            { filename: "/app.js", abs_path: "https://shop.example.com/app.js", function: "t", lineno: 1, colno: 40 },
          ],
        },
      },
    ],
  },
};
const other = { ...shop, id: "12", slug: "other", name: "Other" };
const fake = await fakeExternal({
  clock,
  organizations: [acme],
  projects: [shop, other],
  issues: [
    {
      id: "1001",
      count: 3,
      userCount: 2,
      lastSeen: start - 5 * minute,
      events: [0, 1, 2].map((n) => ({ payload: payload(`event ${n}`), occurredAt: start - 5 * minute - n * hourMs })),
    },
    { id: "1002", count: 9, lastSeen: start - 2 * hourMs, firstSeen: start - 3 * hourMs, value: "payment failed" },
    { id: "1003", count: 5, lastSeen: start - 3 * hourMs, firstSeen: start - 4 * hourMs },
    { id: "1004", status: "resolved" },
    { id: "1005", status: "ignored", events: [{ payload: mappedPayload }] },
    { id: "2001", project: "12", events: [{ payload: payload("of another project") }] },
  ],
});
const { client } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports: [fake.port] } }, clock);
const { projectId, token } = await linkedProject(client, fake);
test.after(() => fake.close());
test.before.each(() => {
  clock.at += 11 * minute; // nothing is remembered of the test before
  fake.calls.length = 0;
});
test.after.each(() => fake.answerAsUsual());

type Request<Method extends keyof GrpcClient["errors"]> = Omit<
  Parameters<GrpcClient["errors"][Method]>[0],
  "projectId" | "$typeName"
>;
const list = (request: Request<"listErrors"> = {}) => client.errors.listErrors({ projectId, ...request }, client.auth);
const getError = (errorId: string) => client.errors.getError({ projectId, errorId }, client.auth);
const getEvent = (request: Request<"getEvent">) => client.errors.getEvent({ projectId, ...request }, client.auth);
const listEvents = (request: Request<"listEvents">) => client.errors.listEvents({ projectId, ...request }, client.auth);
const getStats = (request: Request<"getErrorStats">) =>
  client.errors.getErrorStats({ projectId, ...request }, client.auth);
const update = (...changes: [errorId: string, status: ErrorStatus][]) =>
  client.errors.updateErrors(
    { projectId, changes: changes.map(([errorId, status]) => ({ errorId, status })) },
    client.auth,
  );
const ids = ({ errors }: { errors: readonly { errorId: string }[] }) => errors.map(({ errorId }) => errorId);
const paths = () => fake.calls.map(({ method, path }) => `${method} ${path}`);
const issuesPath = "/api/0/projects/acme/shop/issues/";

test("a list is asked for with status, search, sort, size and the statistics of a day", async () => {
  await list({ query: "  release:1.0 payment ", status: UNRESOLVED, sort: ErrorSort.EVENT_COUNT, pageSize: 7 });
  const [call] = fake.calls.filter(({ query }) => query.get("limit") === "7");
  assert.is(call?.path, issuesPath);
  assert.equal(Object.fromEntries(call?.query ?? []), {
    query: "is:unresolved release.version:1.0 payment",
    limit: "7",
    sort: "freq",
    statsPeriod: "24h",
  });
  assert.is(call?.headers["accept"], "application/json");
  assert.is(call?.headers["user-agent"], "faultline");
});

test("every status is asked for by an empty search, because a missing search means unresolved", async () => {
  assert.equal(ids(await list()).toSorted(), ["1001", "1002", "1003", "1004", "1005"]);
  const [call] = fake.calls.filter(({ query }) => query.get("limit") === "20");
  assert.is(call?.query.get("query"), "");
});

test("the three sorts are the sorts of the external system", async () => {
  const sorted = async (sort: ErrorSort) => ids(await list({ sort, status: UNRESOLVED }));
  assert.equal(await sorted(ErrorSort.LAST_SEEN), ["1001", "1002", "1003"]);
  assert.equal(await sorted(ErrorSort.EVENT_COUNT), ["1002", "1003", "1001"]);
  assert.equal(await sorted(ErrorSort.FIRST_SEEN), ["1001", "1002", "1003"]);
  assert.equal(
    fake.calls.map(({ query }) => query.get("sort")).filter((sort) => sort !== null),
    ["date", "freq", "new"],
  );
});

test("a search continues in the external system's words, and terms that it cannot search for are refused", async () => {
  assert.equal(ids(await list({ query: "payment" })), ["1002"]);
  const sent = async (query: string) => {
    fake.calls.length = 0;
    await list({ query });
    return fake.calls.map((call) => call.query.get("query"))[0];
  };
  assert.is(await sent("type:TypeError !level:info"), "error.type:TypeError !level:info");
  assert.is(await sent('title:"out of memory" events:>100'), 'message:"out of memory" timesSeen:>100');
  assert.is(await sent("age:-24h user.email:ann@example.com"), "firstSeen:-24h user.email:ann@example.com");
  assert.is(await sent("is:resolved payment"), "is:resolved payment");
  assert.is(await sent("release:3.11.0"), "release.version:3.11.0");
  assert.is(await sent("release:>=app@1.2 !release:app@1.2+7"), "release.version:>=app@1.2 !release:app@1.2+7");
  assert.is(await sent("browser:Safari !os:macOS"), "browser.name:Safari !os.name:macOS");
  assert.is(await sent('browser:"Safari 17.1"'), 'browser:"Safari 17.1"');
  assert.is(await sent("file:adyen.py function:charge"), 'stack.filename:"*adyen.py" stack.function:charge');
  assert.is(await sent("user:ann@example.com NOT user:203.0.113.7"), "user.email:ann@example.com !user.ip:203.0.113.7");
  for (const [query, reason] of [
    ["is:[resolved, ignored]", /one status at a time/],
    ["!is:unresolved", /one status at a time/],
    ["!payment", /cannot exclude text/],
    ["all:browser:Chrome", /only value/],
    ["users:>10", /cannot search by users/],
    ["firstRelease:>=1.2.0", /cannot compare firstRelease/],
    ["release:>=app@1.2+7", /cannot compare builds/],
    ["release:[1.2.0, 1.3.0]", /one version at a time/],
    ["file:[a.py, b.py]", /one file at a time/],
    ["user:ann", /user\.id, user\.username/],
    ['"never closed', /quotes have no end/],
    ["x".repeat(501), /at most 500 characters/],
  ] as const) {
    const refusal = await refusedBecause("INVALID_FIELD", list({ query }));
    assert.is(refusal.field, "query");
    assert.match(refusal.message, reason);
  }
});

test("if the external system finds nothing, the answer says what may be the reason", async () => {
  const hinted = async (query: string) => (await list({ query })).searchHints.map((hint) => [hint.text, hint.query]);
  assert.equal(await hinted("payment"), []);
  const [spelling] = await hinted("tenant:GLOBEX level:fatal");
  assert.match(spelling?.[0] ?? "", /letter by letter, .* Check “tenant”, “level”\./);
  const [user] = await hinted("nobody@example.com");
  assert.match(user?.[0] ?? "", /To search for the user, write user\.email:nobody@example\.com/);
  assert.is(user?.[1], "user.email:nobody@example.com");
});

test("the counts of tabs come from X-Hits, and the list reports the count of its own status", async () => {
  const { statusCounts } = await list({ status: UNRESOLVED });
  assert.equal([statusCounts?.unresolved, statusCounts?.resolved, statusCounts?.ignored], [3, 1, 1]);
  assert.equal(fake.calls.map(({ query }) => query.get("query")).toSorted(), [
    "is:ignored",
    "is:resolved",
    "is:unresolved",
  ]);
  clock.at += 20_000;
  await list({ status: UNRESOLVED });
  assert.is(fake.calls.length, 4, "counts are remembered for 30 s, the list for 5 s");
  clock.at += 11_000;
  await list({ status: UNRESOLVED });
  assert.is(fake.calls.length, 7);
});

test("counts stop at 1,000, and where they are missing a list is complete without them", async () => {
  const back = fake.answerWith({ json: [], headers: { "X-Hits": "1234567" } }, { on: /issues\/$/ });
  const { statusCounts } = await list();
  assert.equal([statusCounts?.unresolved, statusCounts?.resolved, statusCounts?.ignored], [1000, 1000, 1000]);
  back();
  for (const [status, headers] of [
    [200, {}],
    [200, { "X-Hits": "many" }],
    [403, {}],
    [500, {}],
  ] as const) {
    clock.at += 11 * minute;
    const restore = fake.answerWith((response, { query }) => {
      response.writeHead(...(query.get("limit") === "1" ? ([status, headers] as const) : ([200, {}] as const)));
      response.end("[]");
    });
    const page = await list({ status: RESOLVED });
    assert.is(page.statusCounts, undefined);
    assert.equal(page.errors, []);
    restore();
  }
});

test("pages go forth and back by the cursors of the external system", async () => {
  const first = await list({ pageSize: 2, status: UNRESOLVED });
  assert.equal(ids(first), ["1001", "1002"]);
  assert.is(first.previousPageToken, "");
  const second = await list({ pageSize: 2, status: UNRESOLVED, pageToken: first.nextPageToken });
  assert.equal(ids(second), ["1003"]);
  const counted = fake.calls.filter(({ query }) => query.get("limit") === "1").map(({ query }) => query.get("query"));
  assert.ok(counted.includes("is:unresolved"), "a later page does not say how many there are");
  assert.is(second.nextPageToken, "");
  const back = await list({ pageSize: 2, status: UNRESOLVED, pageToken: second.previousPageToken });
  assert.equal(ids(back), ["1001", "1002"]);
});

test("a page token of another list is refused, and so is one with a made-up cursor", async () => {
  const { nextPageToken: pageToken } = await list({ pageSize: 2, status: UNRESOLVED });
  fake.calls.length = 0;
  for (const request of [{ status: RESOLVED }, { status: IGNORED }, { query: "x" }, { sort: ErrorSort.FIRST_SEEN }]) {
    await refusedBecause("INVALID_PAGE_TOKEN", list({ status: UNRESOLVED, ...request, pageToken }));
  }
  await refusedBecause("INVALID_PAGE_TOKEN", listEvents({ errorId: "1001", pageToken }));
  const values = JSON.parse(Buffer.from(pageToken, "base64url").toString()) as unknown[];
  for (const cursor of ["http://169.254.169.254/", "../", "", "1".repeat(65), "1:0:0&query=x"]) {
    const forged = Buffer.from(JSON.stringify([values[0], cursor])).toString("base64url");
    await refusedBecause("INVALID_PAGE_TOKEN", list({ status: UNRESOLVED, pageToken: forged }));
  }
  assert.equal(fake.calls, []);
});

test("an error is read with its counts and its page there", async () => {
  const { error } = await getError("1001");
  assert.is(error?.projectId, projectId);
  assert.is(error?.eventCount, 3);
  assert.is(error?.affectedUserCount, 2);
  assert.is(error?.externalUrl, `${fake.url}/organizations/acme/issues/1001/`);
  assert.equal(paths(), ["GET /api/0/issues/1001/"]);
});

test("things of another external project are not found, as if they did not exist", async () => {
  const foreign = "2001";
  const eventId = fake.data.issues.find(({ id }) => id === foreign)?.events[0]?.id ?? "";
  await refusedBecause("ERROR_NOT_FOUND", getError(foreign));
  await refusedBecause("ERROR_NOT_FOUND", getError("424242"));
  await refusedBecause("ERROR_NOT_FOUND", getEvent({ errorId: foreign }));
  await refusedBecause("ERROR_NOT_FOUND", getEvent({ errorId: foreign, position: EventPosition.OLDEST }));
  await refusedBecause("EVENT_NOT_FOUND", getEvent({ errorId: foreign, eventId }));
  await refusedBecause("EVENT_NOT_FOUND", getEvent({ eventId }));
  await refusedBecause("EVENT_NOT_FOUND", getEvent({ errorId: "1001", eventId }));
  await refusedBecause("ERROR_NOT_FOUND", listEvents({ errorId: foreign }));
  await refusedBecause("ERROR_NOT_FOUND", getStats({ errorId: foreign }));
  assert.equal((await update([foreign, RESOLVED])).errors, []);
  assert.equal(ids(await update([foreign, RESOLVED], ["1001", UNRESOLVED])), ["1001"]);
  assert.is(fake.data.issues.find(({ id }) => id === foreign)?.status, "unresolved");
  assert.not(
    fake.calls.some(
      ({ method, path, query }) => method === "PUT" && (path.includes(foreign) || query.getAll("id").includes(foreign)),
    ),
  );
});

test("if the settings lack the project's id, it is asked for once", async () => {
  const lazy = await linkedProject(client, fake, { external: "other", withoutId: true });
  const get = (errorId: string) => client.errors.getError({ projectId: lazy.projectId, errorId }, client.auth);
  assert.is((await get("2001")).error?.errorId, "2001");
  clock.at += hourMs;
  await refusedBecause("ERROR_NOT_FOUND", get("1001"));
  assert.is(paths().filter((path) => path === "GET /api/0/projects/acme/other/").length, 1);
});

test("ids that cannot be ids are refused without asking", async () => {
  for (const id of ["", "../1001", "1001/", "1e3", "-1", "１", "1".repeat(21), "1001?x=1", "%2e%2e"]) {
    await refusedBecause("ERROR_NOT_FOUND", getError(id));
    await refusedBecause("ERROR_NOT_FOUND", getStats({ errorId: id }));
    await refusedBecause("ERROR_NOT_FOUND", listEvents({ errorId: id }));
    await refusedBecause("ERROR_NOT_FOUND", getEvent({ errorId: id }));
    assert.equal((await update([id, RESOLVED])).errors, []);
  }
  for (const eventId of ["../latest", "latest", "x".repeat(32), "a".repeat(31), "a".repeat(33)]) {
    await refusedBecause("EVENT_NOT_FOUND", getEvent({ errorId: "1001", eventId }));
  }
  assert.equal(fake.calls, []);
});

test("events are read by their place and by their id, with their neighbours", async () => {
  const [newest, middle, oldest] = fake.data.issues[0]?.events.map(({ id }) => id) ?? [];
  const found = await getEvent({ errorId: "1001" });
  assert.is(found.event?.eventId, newest);
  assert.is(found.event?.projectId, projectId);
  assert.is(found.newerEventId, "");
  assert.is(found.olderEventId, middle);
  assert.is((await getEvent({ errorId: "1001", position: EventPosition.OLDEST })).event?.eventId, oldest);
  const between = await getEvent({ errorId: "1001", eventId: middle?.toUpperCase() ?? "" });
  assert.equal([between.newerEventId, between.olderEventId], [newest, oldest]);
  assert.is((await getEvent({ eventId: middle ?? "" })).event?.errorId, "1001");
  await refusedBecause("EVENT_NOT_FOUND", getEvent({ errorId: "1001", eventId: "f".repeat(32) }));
});

test("frames that the external system has mapped are shown with what was sent", async () => {
  const { event } = await getEvent({ errorId: "1005", position: EventPosition.NEWEST });
  const [run, total] = event?.exceptions[0]?.frames ?? [];
  assert.is(run?.sourceMapping, undefined);
  assert.equal([total?.filename, total?.function, total?.contextLine], ["./cart.ts", "total", "return sum;"]);
  const { verdict, minified, bundleId } = total?.sourceMapping ?? {};
  assert.equal([verdict, bundleId], [SourceMapVerdict.MAPPED, 0]);
  assert.equal([minified?.function, minified?.lineno, minified?.colno], ["t", 1, 40]);
});

test("an event of another error of the project is not shown as one of this", async () => {
  const [issue] = fake.data.issues;
  const [newest] = issue?.events ?? [];
  assert.ok(issue && newest);
  fake.answerWith({ json: wireEvent(newest, issue) }, { on: /issues\/1002\/events/ });
  await refusedBecause("ERROR_NOT_FOUND", getEvent({ errorId: "1002" }));
  await refusedBecause("EVENT_NOT_FOUND", getEvent({ errorId: "1002", eventId: newest.id }));
});

test("events are listed newest first, in pages, and bounded by time", async () => {
  const all = fake.data.issues[0]?.events ?? [];
  const idsOf = ({ events }: Awaited<ReturnType<typeof listEvents>>) => events.map(({ eventId }) => eventId);
  const first = await listEvents({ errorId: "1001", pageSize: 2 });
  const second = await listEvents({ errorId: "1001", pageSize: 2, pageToken: first.nextPageToken });
  assert.equal(
    [...idsOf(first), ...idsOf(second)],
    all.map(({ id }) => id),
  );
  assert.is(second.nextPageToken, "");
  const bound = timestamp(all[1]?.occurredAt ?? 0);
  assert.equal(idsOf(await listEvents({ errorId: "1001", startTime: bound })), [all[0]?.id, all[1]?.id]);
  assert.equal(idsOf(await listEvents({ errorId: "1001", endTime: bound })), [all[2]?.id]);
  assert.equal(idsOf(await listEvents({ errorId: "1001", startTime: bound, endTime: bound })), []);
  for (const seconds of [-(2n ** 62n), 2n ** 62n]) {
    const far = create(TimestampSchema, { seconds });
    const isPast = seconds < 0n;
    assert.is(idsOf(await listEvents({ errorId: "1001", startTime: far })).length, isPast ? 3 : 0);
    assert.is(idsOf(await listEvents({ errorId: "1001", endTime: far })).length, isPast ? 0 : 3);
  }
  await refusedBecause(
    "INVALID_PAGE_TOKEN",
    listEvents({ errorId: "1001", pageSize: 2, pageToken: first.nextPageToken, startTime: bound }),
  );
});

test("the hours of an error are dense and end with the running one", async () => {
  const { counts, startTime, lastHourRunning } = await getStats({ errorId: "1001" });
  assert.is(counts.length, 24);
  assert.ok(lastHourRunning);
  assert.is(Number(startTime?.seconds), (Math.floor(clock.at / hourMs) - 23) * 3600);
  assert.is(
    counts.reduce((sum, count) => sum + count, 0),
    3,
  );
  await refusedBecause("INVALID_FIELD", getStats({ errorId: "1001", hourCount: 2161 }));
});

test("a status is set there, answered with the previous one, and undone by it", async () => {
  const { errors, undo } = await update(["1001", RESOLVED]);
  assert.is(errors[0]?.status, RESOLVED);
  assert.ok(errors[0]?.statusChangedTime);
  assert.equal(
    undo.map(({ errorId, status }) => [errorId, status]),
    [["1001", UNRESOLVED]],
  );
  assert.is(fake.data.issues[0]?.status, "resolved");
  await client.errors.updateErrors({ projectId, changes: undo }, client.auth);
  assert.is(fake.data.issues[0]?.status, "unresolved");
  assert.equal(
    paths().filter((path) => path.startsWith("PUT")),
    ["PUT /api/0/issues/1001/", "PUT /api/0/issues/1001/"],
  );
});

test("several statuses are set by one call a status, and undo gives each its own back", async () => {
  const { undo } = await update(
    ["1001", RESOLVED],
    ["1004", RESOLVED],
    ["1005", RESOLVED],
    ["1002", IGNORED],
    ["77", RESOLVED],
  );
  assert.equal(fake.data.issues.map(({ status }) => status).slice(0, 5), [
    "resolved",
    "ignored",
    "unresolved",
    "resolved",
    "resolved",
  ]);
  assert.equal(
    new Map(undo.map(({ errorId, status }) => [errorId, status])),
    new Map([
      ["1001", UNRESOLVED],
      ["1002", UNRESOLVED],
      ["1004", RESOLVED],
      ["1005", IGNORED],
    ]),
  );
  const puts = fake.calls.filter(({ method }) => method === "PUT");
  assert.equal(puts.map(({ path, query }) => `${path}?${query}`).toSorted(), [
    "/api/0/issues/1002/?",
    "/api/0/projects/acme/shop/issues/?id=1001&id=1004&id=1005",
  ]);
  await client.errors.updateErrors({ projectId, changes: undo }, client.auth);
  assert.equal(fake.data.issues.map(({ status }) => status).slice(0, 5), [
    "unresolved",
    "unresolved",
    "unresolved",
    "resolved",
    "ignored",
  ]);
});

test("a change of a hundred is a few calls, and one of many that are not answered together does not crowd out others", async () => {
  const many = Array.from({ length: 100 }, (_, n): [string, ErrorStatus] => [`${5000 + n}`, RESOLVED]);
  const back = fake.answerWith({ json: [] }, { on: /organizations/ });
  const [{ errors }, found] = await Promise.all([update(...many), getError("1001")]);
  assert.equal(errors, []);
  assert.is(found.error?.errorId, "1001");
  back();
  fake.calls.length = 0;
  await update(["1001", RESOLVED], ["1002", RESOLVED], ["1003", RESOLVED]);
  assert.is(fake.calls.length, 2);
  await update(["1001", UNRESOLVED], ["1002", UNRESOLVED], ["1003", UNRESOLVED]);
  assert.ok(fake.mostAtOnce() <= 4);
});

test("systems that cannot read several issues in one call are asked for them one by one", async () => {
  const back = fake.answerWith({ status: 404 }, { on: /organizations/ });
  assert.equal(ids(await update(["1001", RESOLVED], ["1002", RESOLVED], ["2001", RESOLVED])), ["1001", "1002"]);
  back();
  await update(["1001", UNRESOLVED], ["1002", UNRESOLVED]);
  assert.is(fake.data.issues[0]?.status, "unresolved");
});

test("when a later call of a change fails, what was changed is returned", async () => {
  const back = fake.answerWith({ status: 500 }, { on: /issues\/1002\/$/ });
  const changes: [string, ErrorStatus][] = [
    ["1001", RESOLVED],
    ["1003", RESOLVED],
    ["1002", IGNORED],
  ];
  const { errors, undo } = await update(...changes);
  assert.equal(ids({ errors }), ["1001", "1003"]);
  back();
  await client.errors.updateErrors({ projectId, changes: undo }, client.auth);
  assert.is(fake.data.issues[0]?.status, "unresolved");
});

test("changes are refused as by the integrated backend", async () => {
  await refusedBecause("INVALID_FIELD", update());
  await refusedBecause("INVALID_FIELD", update(["1001", RESOLVED], ["1001", IGNORED]));
  const refusal = await refusedBecause("INVALID_FIELD", update(["1001", ErrorStatus.UNSPECIFIED]));
  assert.is(refusal.field, "changes[0].status");
  const many = Array.from({ length: 1001 }, (_, n): [string, ErrorStatus] => [`${n + 1}`, RESOLVED]);
  await refusedBecause("INVALID_FIELD", update(...many));
  assert.equal(fake.calls, []);
});

test("after a change the list is as it is now", async () => {
  assert.ok(ids(await list({ status: UNRESOLVED })).includes("1003"));
  await update(["1003", RESOLVED]);
  assert.not(ids(await list({ status: UNRESOLVED })).includes("1003"));
  await update(["1003", UNRESOLVED]);
  assert.ok(ids(await list({ status: UNRESOLVED })).includes("1003"));
});

test("the last-seen label holds still: its time is the newest known one before the running hour", async () => {
  const settled = async () => Number((await getError("1003")).error?.settledLastSeenTime?.seconds ?? 0) * 1000;
  const issue = fake.data.issues.find(({ id }) => id === "1003");
  assert.ok(issue);
  const seen = (at: number) => Object.assign(issue, { lastSeen: Math.floor(at / 1000) * 1000 });
  clock.at = Math.ceil(clock.at / hourMs) * hourMs + 20 * minute;
  const first = clock.at - 30 * minute; // of the hour before
  seen(first);
  assert.is(await settled(), first);
  clock.at += 10 * minute;
  const second = clock.at;
  seen(second);
  assert.is(await settled(), first, "an event of this hour does not count yet");
  clock.at += hourMs;
  const third = clock.at;
  seen(third);
  assert.is(await settled(), second, "an hour later the last one of the hour before does");
});

test("methods that the external system does not offer are refused in words", async () => {
  const changes = client.errors.watchErrors({ projectId }, client.auth)[Symbol.asyncIterator]();
  await refusedBecause("NOT_SUPPORTED_BY_BACKEND", changes.next());
  const refusal = await refusedBecause(
    "NOT_SUPPORTED_BY_BACKEND",
    client.releases.listReleases({ projectId }, client.auth),
  );
  assert.match(refusal.message, /external system does not offer/);
  await refusedBecause(
    "NOT_SUPPORTED_BY_BACKEND",
    client.errors.explainGrouping({ projectId, errorId: "1001" }, client.auth),
  );
  await refusedBecause("NOT_SUPPORTED_BY_BACKEND", client.releases.getSessionStats({ projectId }, client.auth));
  assert.equal(fake.calls, []);
});

test("the token goes nowhere but into the header", async () => {
  await list();
  assert.ok(fake.calls.length > 0);
  assert.ok(fake.saw(`Bearer ${token}`));
  assert.not(fake.calls.some(({ query, body, path }) => `${path}${query}${body}`.includes(token)));
});

test("all these calls were such as a well-behaved client makes", () => assert.equal(fake.complaints, []));

test("a system without tags says so, and a missing error is missing all the same", async () => {
  const breakdown = (errorId: string) => client.errors.getErrorBreakdown({ projectId, errorId }, client.auth);
  const remove = fake.answerWith({ status: 404, json: { detail: "" } }, { on: /\/tags\// });
  const { message } = await refusedBecause("NOT_SUPPORTED_BY_BACKEND", breakdown("1001"));
  assert.match(message, /does not report the users and tags of an error/);
  await refusedBecause("ERROR_NOT_FOUND", breakdown("999"));
  remove();
  clock.at += 11 * minute;
  assert.is((await breakdown("1001")).examinedEventCount, 3);
});

test("what an answer repeats appears once: issues, events, tags with their values, and users", async () => {
  const read = async () => {
    clock.at += 11 * minute;
    const { errors } = await list();
    const { events } = await listEvents({ errorId: "1001" });
    const { tags, users } = await client.errors.getErrorBreakdown({ projectId, errorId: "1001" }, client.auth);
    return {
      errors: errors.map(({ errorId }) => errorId),
      events: events.map(({ eventId }) => eventId),
      tags: tags.map(({ key, values }) => [key, ...values.map(({ value }) => value)]),
      users: users.map(({ user }) => user),
    };
  };
  const once = await read();
  assert.ok(Object.values(once).every((items) => items.length > 0));
  fake.answerWith(repeatedItems);
  assert.equal(await read(), once);
});

test("a short id finds its error by the system's own look-up, and so does the id of an event, in any status", async () => {
  const [{ id: eventId = "" } = {}] = fake.data.issues[0]?.events ?? [];
  const shortId = (await getError("1004")).error?.shortId ?? "";
  assert.is(shortId, "SHOP-RW");
  fake.calls.length = 0;
  for (const query of [shortId, `#${shortId.toLowerCase()}`, "#1004"]) {
    const found = await list({ query, status: UNRESOLVED });
    assert.equal([ids(found), found.searchedErrorId, found.statusCounts?.resolved], [["1004"], "1004", 1], query);
  }
  const [call] = fake.calls;
  assert.equal(Object.fromEntries(call?.query ?? []), {
    query: "SHOP-RW",
    shortIdLookup: "1",
    limit: "1",
    statsPeriod: "24h",
  });
  const event = await list({ query: eventId, status: RESOLVED });
  assert.equal([event.event?.eventId, event.event?.errorId, event.searchedErrorId], [eventId, "1001", ""]);
});

test("the short id of another project is a search like any other, and so are a word and a missing id", async () => {
  for (const query of ["OTHER-1JL", "SHOP-ZZZZ", "#2001", "#shop-zzzz", "404-PAGE"]) {
    const { errors, searchedErrorId } = await list({ query });
    assert.equal([errors, searchedErrorId], [[], ""], query);
  }
  fake.calls.length = 0;
  await list({ query: "card-refused" });
  assert.not.ok(fake.calls.some(({ query }) => query.has("shortIdLookup")));
});

test.run();
