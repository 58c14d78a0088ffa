import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ErrorSort, ErrorStatus, type Error as StoredError } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import type { GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { storeErrors } from "../../support/database/many-errors.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

type Query = Omit<Parameters<GrpcClient["errors"]["listErrors"]>[0], "projectId" | "$typeName">;
const list = (query: Query = {}) => client.errors.listErrors({ projectId: project.id, ...query }, client.auth);
const typesOf = (errors: readonly StoredError[]) => errors.map(({ type }) => type);

/** Reports one event of the error `type`; `secondsAgo` dates it. */
async function report(type: string, { secondsAgo = 0, ...fields }: Record<string, unknown> = {}): Promise<string> {
  const event = {
    event_id: newEventId(),
    timestamp: Date.now() / 1000 - Number(secondsAgo),
    exception: { values: [{ type, value: `${type} happened` }] },
    ...fields,
  };
  const answer = await sendEvent(server, project, event);
  assert.is(answer.status, 200, answer.text);
  return event.event_id;
}

async function find(type: string): Promise<StoredError> {
  const found = (await list({ pageSize: 100 })).errors.find((error) => error.type === type);
  assert.ok(found, `${type} is not listed`);
  return found;
}

async function setStatus(type: string, status: ErrorStatus) {
  const { errorId } = await find(type);
  return client.errors.updateErrors({ projectId: project.id, changes: [{ errorId, status }] }, client.auth);
}

test("a resolved error comes back with the next event, and says when", async () => {
  await report("Back");
  const { errors, undo } = await setStatus("Back", ErrorStatus.RESOLVED);
  assert.is(errors[0]?.status, ErrorStatus.RESOLVED);
  assert.ok(errors[0]?.statusChangedTime);
  assert.equal(
    undo.map(({ status }) => status),
    [ErrorStatus.UNRESOLVED],
  );
  await report("Back");
  const error = await find("Back");
  assert.is(error.status, ErrorStatus.UNRESOLVED);
  assert.ok(error.reopenedTime);
  assert.is(error.eventCount, 2);
});

test("an ignored error stays ignored when events come", async () => {
  await report("Noise");
  await setStatus("Noise", ErrorStatus.IGNORED);
  await report("Noise");
  const error = await find("Noise");
  assert.is(error.status, ErrorStatus.IGNORED);
  assert.is(error.eventCount, 2);
});

test("a repeated event does not reopen a resolved error", async () => {
  const eventId = await report("Echo");
  await setStatus("Echo", ErrorStatus.RESOLVED);
  await report("Echo", { event_id: eventId });
  assert.is((await find("Echo")).status, ErrorStatus.RESOLVED);
});

test("the changes that UpdateErrors hands back undo it", async () => {
  for (const type of ["A", "B"]) await report(type);
  await setStatus("B", ErrorStatus.IGNORED);
  const changes = (await list()).errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.RESOLVED }));
  const { undo } = await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  assert.is(undo.length, 2);
  await client.errors.updateErrors({ projectId: project.id, changes: undo }, client.auth);
  assert.is((await find("A")).status, ErrorStatus.UNRESOLVED);
  assert.is((await find("B")).status, ErrorStatus.IGNORED);
});

test("errors with the same title and transaction have their crash frames as culprit in a list, and keep the transaction elsewhere", async () => {
  const raised = (name: string) => {
    const frames = [{ module: "shop.cart", function: name, in_app: true }];
    return { exception: { values: [{ type: "Same", value: "no", stacktrace: { frames } }] }, transaction: "/checkout" };
  };
  for (const name of ["pay", "refund"]) await report("Same", { platform: "python", ...raised(name) });
  await report("Other", { transaction: "/checkout" });
  const { errors } = await list();
  const culprits = errors.map(({ type, culprit }) => `${type}: ${culprit}`);
  assert.equal(culprits.toSorted(), ["Other: /checkout", "Same: shop.cart in pay", "Same: shop.cart in refund"]);
  const same = errors.find(({ type }) => type === "Same");
  const { error } = await client.errors.getError({ projectId: project.id, errorId: same?.errorId ?? "" }, client.auth);
  assert.is(error?.culprit, "/checkout");
});

test("lists are filtered by status and count each status", async () => {
  for (const type of ["Open", "Done", "Muted", "Open2"]) await report(type);
  await setStatus("Done", ErrorStatus.RESOLVED);
  await setStatus("Muted", ErrorStatus.IGNORED);
  assert.equal(typesOf((await list({ status: ErrorStatus.UNRESOLVED })).errors).toSorted(), ["Open", "Open2"]);
  assert.equal(typesOf((await list({ status: ErrorStatus.RESOLVED })).errors), ["Done"]);
  assert.equal(typesOf((await list({ status: ErrorStatus.IGNORED })).errors), ["Muted"]);
  const all = await list();
  assert.is(all.errors.length, 4);
  const { unresolved, resolved, ignored } = all.statusCounts ?? {};
  assert.equal({ unresolved, resolved, ignored }, { unresolved: 2, resolved: 1, ignored: 1 });
});

test("words and key:value pairs search without regard to case, and all must match", async () => {
  await report("PaymentError", { release: "shop@1.2.3", environment: "staging", tags: { region: "eu-west" } });
  await report("LoginError", { release: "shop@2.0.0", level: "fatal", transaction: "/checkout" });
  const found = async (query: string) => typesOf((await list({ query })).errors).toSorted();
  assert.equal(await found("payment"), ["PaymentError"]);
  assert.equal(await found("ERROR HAPPENED"), ["LoginError", "PaymentError"]);
  assert.equal(await found("checkout"), ["LoginError"]);
  assert.equal(await found("release:shop@1.2.3"), ["PaymentError"]);
  assert.equal(await found("environment:staging"), ["PaymentError"]);
  assert.equal(await found("level:fatal"), ["LoginError"]);
  assert.equal(await found("error.type:LoginError"), ["LoginError"]);
  assert.equal(await found("region:eu-west"), ["PaymentError"]);
  assert.equal(await found("region:eu-west login"), []);
  assert.equal(await found("nothing-of-that"), []);
});

for (const odd of ["\x1f", "\x1e", "\ud800", "\u{10ffff}"]) {
  test(`${JSON.stringify(odd)} in any term finds nothing and breaks nothing`, async () => {
    const terms = [
      `a${odd}b`,
      `"${odd}x"`,
      `k:a${odd}`,
      `k:a${odd}*`,
      `k:[a${odd}, b]`,
      `user.id:${odd}b`,
      `type:${odd}b`,
    ];
    for (const query of [...terms, `all:k:a${odd}`, `message:a${odd}*b`, `tags[k${odd}]:a`]) {
      assert.equal((await list({ query })).errors, [], query);
    }
    for (const query of terms) await list({ query: `!${query}` });
    await rejects(list({ query: `release:>=1.0.0${odd}` }), "INVALID_ARGUMENT");
  });
}

for (const [query, problem] of [
  ["login (", /parentheses.*Character 7/],
  ['"login', /quotes have no end/],
  ["is:open", /“open” is not a value of is/],
  ["user.id:", /has no value/],
  ["login OR payment", /OR is not supported/],
] as const) {
  test(`a search for ${query}, which cannot be read, is refused with its reason and place`, async () => {
    const refusal = await rejects(list({ query }), "INVALID_ARGUMENT");
    assert.is(refusal.field, "query");
    assert.match(refusal.message, problem);
  });
}

for (const query of ["%", "_", "100%", "'; DROP TABLE x; --", "\\", "region:%", "*", "[a-z]"])
  test(`searching for ${query} finds nothing and breaks nothing`, async () => {
    await report("Plain");
    assert.equal((await list({ query })).errors, []);
  });

test("lists are sorted by last seen, first seen and number of events, greatest first", async () => {
  await report("Old", { secondsAgo: 3_000 });
  await report("Middle", { secondsAgo: 2_000 });
  await report("New", { secondsAgo: 1_000 });
  await report("Old", { secondsAgo: 10 });
  await report("Middle", { secondsAgo: 1_500 });
  await report("Middle", { secondsAgo: 1_400 });
  const sorted = async (sort: ErrorSort) => typesOf((await list({ sort })).errors);
  assert.equal(await sorted(ErrorSort.LAST_SEEN), ["Old", "New", "Middle"]);
  assert.equal(await sorted(ErrorSort.UNSPECIFIED), ["Old", "New", "Middle"]);
  assert.equal(await sorted(ErrorSort.FIRST_SEEN), ["New", "Middle", "Old"]);
  assert.equal(await sorted(ErrorSort.EVENT_COUNT), ["Middle", "Old", "New"]);
});

test("a list by users puts the most users first, also in a search, which keeps its filters and words", async () => {
  const affected = { One: 1, Three: 3, Two: 2, None: 0 };
  for (const [type, users] of Object.entries(affected)) {
    if (users === 0) await report(type, { secondsAgo: 1 });
    for (let user = 0; user < users; user++) await report(type, { user: { id: `${user}` }, secondsAgo: users * 100 });
  }
  const byUsers = (query: string) => list({ query, sort: ErrorSort.USER_COUNT });
  const whole = await byUsers("");
  assert.equal(typesOf(whole.errors), ["Three", "Two", "One", "None"]);
  assert.is(whole.examinedCount, 0);
  assert.equal(typesOf((await byUsers("happened")).errors), ["Three", "Two", "One", "None"]);
  assert.equal(typesOf((await byUsers("users:>1")).errors), ["Three", "Two"]);
  assert.equal(typesOf((await byUsers("!Two has:user")).errors), ["Three", "One"]);
  assert.is((await byUsers("users:>1")).statusCounts?.unresolved, 2);
});

test("a list by users of more than 2,000 errors sorts the last seen errors, and says how far back it looked", async () => {
  const now = Date.now();
  const second = 1_000;
  // Failure n affects n users and was seen n seconds ago.
  await storeErrors(server, project.id, { count: 2_003, users: "n", lastSeen: `${now} - n * ${second}` });
  const found = async (query: string, pageToken = "") => {
    const answer = await list({ sort: ErrorSort.USER_COUNT, pageSize: 2, query, pageToken });
    const secondsBack = answer.searchedToTime && (now - timestampMs(answer.searchedToTime)) / second;
    return [answer.errors.map(({ title }) => title), answer.examinedCount, secondsBack];
  };
  assert.equal(await found(""), [["Failure 2000", "Failure 1999"], 2_000, 2_000]);
  const { nextPageToken } = await list({ sort: ErrorSort.USER_COUNT, pageSize: 2 });
  assert.equal(await found("", nextPageToken), [["Failure 1998", "Failure 1997"], 2_000, 2_000]);
  assert.equal(await found("!environment:staging"), [["Failure 750", "Failure 749"], 750, 750]);
  assert.equal(await found("level:fatal"), [[], 0, undefined], "so few that all of them are seen");
});

for (const [name, sort] of Object.entries(ErrorSort))
  test(`pages by ${name} go forth and back over every error once, also if all are equal`, async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 5;
    for (let index = 0; index < 7; index += 1) await report(`Page${index}`, { timestamp });
    const forth: string[][] = [];
    let page = await list({ sort, pageSize: 3 });
    forth.push(typesOf(page.errors));
    while (page.nextPageToken !== "" && forth.length < 10) {
      page = await list({ sort, pageSize: 3, pageToken: page.nextPageToken });
      forth.push(typesOf(page.errors));
    }
    assert.equal(
      forth.map(({ length }) => length),
      [3, 3, 1],
    );
    assert.is(new Set(forth.flat()).size, 7);
    const back = [forth.at(-1)];
    while (page.previousPageToken !== "" && back.length < 10) {
      page = await list({ sort, pageSize: 3, pageToken: page.previousPageToken });
      back.unshift(typesOf(page.errors));
    }
    assert.equal(back, forth);
  });

test("a page token of another list is refused", async () => {
  for (const type of ["A", "B", "C"]) await report(type);
  const { nextPageToken } = await list({ pageSize: 1 });
  for (const query of [{ sort: ErrorSort.EVENT_COUNT }, { query: "a" }, { status: ErrorStatus.RESOLVED }])
    await rejects(list({ pageSize: 1, pageToken: nextPageToken, ...query }), "INVALID_ARGUMENT");
  await rejects(list({ pageToken: "made up" }), "INVALID_ARGUMENT");
});

test("hourly counts add up to the number of events, each in the hour it happened", async () => {
  for (const secondsAgo of [0, 1, 3_600, 7_200, 7_201, 20 * 3_600]) await report("Chart", { secondsAgo });
  const error = await find("Chart");
  const stats = await client.errors.getErrorStats({ projectId: project.id, errorId: error.errorId }, client.auth);
  assert.is(stats.counts.length, 24);
  assert.is(
    stats.counts.reduce((sum, count) => sum + count, 0),
    6,
  );
  assert.is(error.eventCount, 6);
  assert.equal(error.hourlyCounts, stats.counts);
  assert.ok(stats.lastHourRunning);
  const hours = stats.counts.flatMap((count, index) => (count > 0 ? [23 - index] : []));
  assert.is(hours.at(-1), 0, `an event of now lies in the running hour: ${stats.counts.join(" ")}`);
  assert.ok(hours.includes(1) && (hours.includes(20) || hours.includes(21)), `hours ago: ${hours.join(", ")}`);
});

test("the events of an error are listed newest first, in pages, and bounded by time", async () => {
  const ids: string[] = [];
  for (let age = 0; age < 5; age += 1) ids.push(await report("Many", { secondsAgo: age * 60 }));
  const { errorId } = await find("Many");
  const events = (request: object) =>
    client.errors.listEvents({ projectId: project.id, errorId, ...request }, client.auth);
  const first = await events({ pageSize: 3 });
  const second = await events({ pageSize: 3, pageToken: first.nextPageToken });
  assert.equal(
    [...first.events, ...second.events].map(({ eventId }) => eventId),
    ids,
  );
  assert.is(second.nextPageToken, "");
  const bound = first.events[1]?.occurredTime;
  assert.ok(bound);
  assert.equal(
    (await events({ startTime: bound })).events.map(({ eventId }) => eventId),
    ids.slice(0, 2),
  );
  assert.equal(
    (await events({ endTime: bound })).events.map(({ eventId }) => eventId),
    ids.slice(2),
  );
});

test("events know their neighbours", async () => {
  const ids: string[] = [];
  for (let age = 0; age < 3; age += 1) ids.push(await report("Chain", { secondsAgo: age * 60 }));
  const [newest, middle, oldest] = ids;
  const { errorId } = await find("Chain");
  const get = (eventId: string) => client.errors.getEvent({ projectId: project.id, eventId, errorId }, client.auth);
  const found = await get("");
  assert.is(found.event?.eventId, newest);
  assert.is(found.newerEventId, "");
  assert.is(found.olderEventId, middle);
  const between = await get(middle ?? "");
  assert.is(between.newerEventId, newest);
  assert.is(between.olderEventId, oldest);
  assert.is((await get(oldest ?? "")).olderEventId, "");
});

test("errors and events of one project are not found through another", async () => {
  const eventId = await report("Private");
  const { errorId } = await find("Private");
  const other = { projectId: (await createProject(server)).id };
  await rejects(client.errors.getError({ ...other, errorId }, client.auth), "NOT_FOUND");
  await rejects(client.errors.getEvent({ ...other, eventId }, client.auth), "NOT_FOUND");
  await rejects(client.errors.listEvents({ ...other, errorId }, client.auth), "NOT_FOUND");
  await rejects(client.errors.getErrorStats({ ...other, errorId }, client.auth), "NOT_FOUND");
  const changes = [{ errorId, status: ErrorStatus.RESOLVED }];
  assert.equal((await client.errors.updateErrors({ ...other, changes }, client.auth)).errors, []);
  assert.is((await find("Private")).status, ErrorStatus.UNRESOLVED);
});

test("a watch reports changed errors within a few seconds", async () => {
  const stop = new AbortController();
  const changes = client.errors.watchErrors({ projectId: project.id }, { ...client.auth, signal: stop.signal });
  let reported: readonly StoredError[] | undefined;
  const watching = changes[Symbol.asyncIterator]()
    .next()
    .then(({ value }) => (reported = value?.errors));
  await until(
    "the first change",
    async () => {
      await report("Watched"); // again and again: the first may come before the watch has begun
      return reported;
    },
    { deadlineMs: 5_000, everyMs: 100 },
  );
  stop.abort();
  await watching;
  assert.equal(typesOf(reported ?? []), ["Watched"]);
});

test("calls without a token, or with a wrong one, are refused", async () => {
  await rejects(client.errors.listErrors({ projectId: project.id }), "UNAUTHENTICATED");
  await rejects(
    client.errors.listErrors({ projectId: project.id }, { token: "flp_wrong-token-0123456789" }),
    "UNAUTHENTICATED",
  );
});

test("an error has a short id, which finds it alone in any status, and only in its own project", async () => {
  const [other, own] = [project, await createProject(server)];
  await report("Elsewhere");
  const { errorId: strange } = await find("Elsewhere");
  project = own;
  await report("Named");
  await report("Beside");
  const { errorId } = await find("Named");
  const name = (id: string) => `${own.path.slice(own.path.lastIndexOf("/") + 1).toUpperCase()}-${id}`;
  assert.is((await find("Named")).shortId, name(errorId));
  const { error } = await client.errors.getError({ projectId: own.id, errorId }, client.auth);
  assert.is(error?.shortId, name(errorId));
  const changes = [{ errorId, status: ErrorStatus.RESOLVED }];
  const { errors } = await client.errors.updateErrors({ projectId: own.id, changes }, client.auth);
  assert.is(errors[0]?.shortId, name(errorId));

  for (const query of [name(errorId), name(errorId).toLowerCase(), `#${name(errorId)}`, ` #${errorId} `]) {
    const found = await list({ query, status: ErrorStatus.UNRESOLVED });
    assert.equal([typesOf(found.errors), found.searchedErrorId], [["Named"], errorId], query);
    const { unresolved, resolved, ignored } = found.statusCounts ?? {};
    assert.equal([unresolved, resolved, ignored], [0, 1, 0]);
  }
  for (const query of [errorId, name(strange), `#${strange}`, `"${name(errorId)}"`, `${name(errorId)} Named`]) {
    const { searchedErrorId, errors: found } = await list({ query });
    assert.equal([searchedErrorId, typesOf(found)], ["", []], query);
  }
  project = other;
});

test.run();
