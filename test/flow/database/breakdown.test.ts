import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { millisecondsOf } from "@faultline/plugin";
import type { GetErrorBreakdownResponse } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../../support/run/until.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

/** How the events of an error divide by user, tag and release, and what is unusual among them. */

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

const start = Date.now() - 3_600_000;

async function report(type: string, fields: Record<string, unknown> = {}, seconds = 0): Promise<string> {
  const event_id = newEventId();
  const timestamp = start / 1000 + seconds;
  const exception = { values: [{ type, value: "x", mechanism: { type: "generic", handled: false } }] };
  const answer = await sendEvent(server, project, { event_id, timestamp, exception, ...fields });
  assert.is(answer.status, 200, answer.text);
  return event_id;
}

/** Reports like a service that sends no names with the payload. */
async function reportOverGrpc(type: string, user: { readonly id: string; readonly email: string }, seconds: number) {
  const event = {
    projectId: project.id,
    eventId: newEventId(),
    occurredTime: timestampFromMs(start + seconds * 1_000),
    exceptions: [{ type, value: "x" }],
    user: `id:${user.id}`,
    payload: Buffer.from(JSON.stringify({ user })),
  };
  await client.ingest.reportEvents({ events: [event] }, client.auth);
}

async function idOf(type: string): Promise<string> {
  const { errors } = await client.errors.listErrors({ projectId: project.id, pageSize: 100 }, client.auth);
  return errors.find((error) => error.type === type)?.errorId ?? "";
}

async function breakdown(type: string): Promise<GetErrorBreakdownResponse> {
  const errorId = await idOf(type);
  return client.errors.getErrorBreakdown({ projectId: project.id, errorId }, client.auth);
}

const valuesOf = ({ tags }: GetErrorBreakdownResponse, key: string) =>
  tags.find((tag) => tag.key === key)?.values.map(({ value, eventCount }) => [value, eventCount]);

test("users come with their names, counts, times and newest event, the most affected first", async () => {
  await report("Hurt", { user: { id: "1", email: "ann@example.com" } }, 1);
  await report("Hurt", { user: { id: "2", username: "bob" } }, 2);
  const newest = await report("Hurt", { user: { id: "1", email: "ann@new.example.com" } }, 3);
  await report("Hurt", {}, 4);
  const { users, userCount, examinedEventCount, eventCount } = await breakdown("Hurt");
  assert.equal([userCount, examinedEventCount, eventCount], [2, 4, 4]);
  assert.equal(
    users.map(({ user, names, eventCount: events }) => [user, names?.email, names?.username, events]),
    [
      ["id:1", "ann@new.example.com", "", 2],
      ["id:2", "", "bob", 1],
    ],
  );
  const [ann] = users;
  assert.is(ann?.newestEventId, newest);
  assert.is(ann?.firstSeenTime && millisecondsOf(ann.firstSeenTime), start + 1000);
  assert.is(ann?.lastSeenTime && millisecondsOf(ann.lastSeenTime), start + 3000);
});

test("a user has the names of the newest event, whenever it arrived, however long they are and whoever sent them", async () => {
  const long = "\u6f22".repeat(128); // three bytes each
  await report("Named", { user: { id: "1", email: "Ann@Example.com", ip_address: "2001:DB8:0::1" } }, 3);
  await report("Named", { user: { id: "1", email: "old@example.com", username: "ann" } }, 1);
  await report("Named", { user: { ip_address: "203.0.113.7" } }, 2);
  await report("Named", { user: { id: long, username: long } }, 2);
  await report("Named", { user: { id: "2", email: "bob@example.com" } }, 4);
  await reportOverGrpc("Named", { id: "2", email: "bob@new.example.com" }, 5);
  const named = (answer: GetErrorBreakdownResponse) =>
    answer.users.map(({ user, names: { id, username, email, ipAddress } = {} }) => [
      user,
      id,
      username,
      email,
      ipAddress,
    ]);
  const expected = [
    ["id:2", "2", "", "bob@new.example.com", ""],
    ["id:1", "1", "", "Ann@Example.com", "2001:DB8:0::1"],
    [`id:${long}`, long, long, "", ""],
    ["ip:203.0.113.7", "", "", "", "203.0.113.7"],
  ];
  assert.equal(named(await breakdown("Named")), expected);

  const ofError = `where error_id = ${await idOf("Named")}`;
  await until("the users are counted", async () => {
    const uncounted = await rowsOf(server.dataDir, `select 1 from integrated_user ${ofError} and event_count = 0`);
    return uncounted.length === 0;
  });
  assert.equal(named(await breakdown("Named")), expected);
  const stored = await rowsOf(server.dataDir, `select names from integrated_user ${ofError} and "user" <> 'id:2'`);
  assert.equal(stored.map(({ names }) => names).toSorted(), [
    "",
    `[${start + 2_000},"","","","203.0.113.7"]`,
    `[${start + 3_000},"1","","Ann@Example.com","2001:DB8:0::1"]`,
  ]);
  await execSql(server.dataDir, `update integrated_user set names = '' ${ofError}`); // as the release before leaves them
  assert.equal(named(await breakdown("Named")), expected);
});

test("shares of tags are compared with the project's other errors, and the most unusual key comes first", async () => {
  for (let n = 0; n < 10; n++) {
    await report("Odd", { tags: { browser: n < 9 ? "Safari" : "Chrome", region: "eu" }, release: `shop@${n % 2}` }, n);
    await report(`Other${n}`, { tags: { browser: n < 2 ? "Safari" : "Chrome", region: "eu" } });
  }
  const answer = await counted("Odd", ({ usualEventCount }) => usualEventCount === 10);
  const [first] = answer.tags;
  assert.equal([first?.key, first?.eventCount, first?.valueCount, first?.searchable], ["browser", 10, 2, true]);
  assert.equal(
    first?.values.map(({ value, eventCount, usualShare }) => [value, eventCount, usualShare]),
    [
      ["Safari", 9, 0.2],
      ["Chrome", 1, 0.8],
    ],
  );
  assert.equal(valuesOf(answer, "region"), [["eu", 10]]);
  assert.equal(valuesOf(answer, "handled"), [["no", 10]]);
  assert.is(answer.tags.find(({ key }) => key === "handled")?.searchable, true);
  assert.equal(
    answer.releases.map(({ version, eventCount }) => [version, eventCount]),
    [
      ["shop@1", 5],
      ["shop@0", 5],
    ],
  );
  assert.is(answer.releaseCount, 2);
});

test("browser, system and page are read where no tag names them", async () => {
  const agent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.1 Safari/605.1.15";
  await report("Page", {
    request: { url: "https://shop.example/cart?secret=1", headers: { "User-Agent": agent } },
    contexts: { runtime: { name: "node", version: "26.1.0" }, device: { model: "iPad13,1" } },
    transaction: "/cart",
    environment: "production",
    level: "fatal",
  });
  const answer = await breakdown("Page");
  const found = Object.fromEntries(answer.tags.map(({ key, values }) => [key, values[0]?.value]));
  assert.equal(found, {
    browser: "Safari",
    device: "iPad13,1",
    environment: "production",
    handled: "no",
    level: "fatal",
    os: "macOS",
    runtime: "node 26.1.0",
    transaction: "/cart",
    url: "https://shop.example/cart",
  });
  assert.is(answer.tags[0]?.values[0]?.usualShare, undefined, "there is nothing to compare with");
});

test("a flood of keys, values and users is cut, counted and answered", async () => {
  const events = Array.from({ length: 120 }, (_, n) => ({
    event_id: newEventId(),
    exception: { values: [{ type: "Flood", value: "x" }] },
    user: { id: `<b>${n}</b>\u202e`, email: "\ud800@x" },
    release: `r${n}`,
    tags: Object.fromEntries(Array.from({ length: 100 }, (__, at) => [`k${n}.${at}`, `<script>${"v".repeat(190)}`])),
  }));
  for (const event of events) {
    const answer = await sendEnvelope(server, project, envelope(event.event_id, [{ type: "event" }, event]));
    assert.is(answer.status, 200, answer.text);
  }
  const answer = await counted("Flood", ({ otherTagCount }) => otherTagCount === 170); // of the 200 keys that an error has at most
  assert.is(answer.examinedEventCount, 120);
  assert.is(answer.tags.length, 30);
  assert.equal([answer.users.length, answer.userCount], [100, 120]);
  assert.equal([answer.releases.length, answer.releaseCount], [20, 120]);
  assert.equal(answer.tags[0]?.key, "level");
  assert.ok(answer.tags.every(({ values }) => values.length <= 10));
});

test("events are listed with the names of their users where a caller asks", async () => {
  await report("Named", { user: { id: "1", email: "ann@example.com" } }, 1);
  await report("Named", { user: { id: "2", username: "bob" } }, 2);
  await report("Named", { user: { id: "3" } }, 3);
  await report("Named", {}, 4);
  const asked = { projectId: project.id, errorId: await idOf("Named") };
  const named = await client.errors.listEvents({ ...asked, userNames: true }, client.auth);
  assert.equal(
    named.events.map(({ user, names }) => [user, names?.id, names?.username, names?.email]),
    [
      ["", undefined, undefined, undefined],
      ["id:3", "3", "", ""],
      ["id:2", "2", "bob", ""],
      ["id:1", "1", "", "ann@example.com"],
    ],
  );
  const { events } = await client.errors.listEvents(asked, client.auth);
  assert.ok(events.every(({ names }) => names === undefined));
});

test("an event larger than 256 KiB is counted like any other", async () => {
  const fields = { user: { id: "7", email: "ann@example.com" }, release: "shop@1", tags: { region: "eu" } };
  await report("Large", { ...fields, extra: { blob: "x".repeat(300 * 1024) } });
  const { tags, users, releases, examinedEventCount } = await counted("Large", (answer) => answer.tags.length === 4);
  assert.equal(tags.map(({ key }) => key).toSorted(), ["handled", "level", "region", "release"]);
  assert.equal(
    users.map(({ user }) => user),
    ["id:7"],
  );
  assert.equal([releases[0]?.version, examinedEventCount], ["shop@1", 1]);
});

/** A breakdown once every event is counted: PostgreSQL counts them some moments after they are stored. */
function counted(
  type: string,
  isComplete = ({ examinedEventCount, eventCount }: GetErrorBreakdownResponse) => examinedEventCount === eventCount,
): Promise<GetErrorBreakdownResponse> {
  return until("all events are counted", async () => {
    const answer = await breakdown(type);
    return isComplete(answer) && answer;
  });
}

test("all events of an error are counted, however many: its users, releases, environments and tags", async () => {
  for (let n = 0; n < 1_300; n += 50) {
    const some = Array.from({ length: 50 }, (_, at) => n + at);
    await Promise.all(
      some.map((at) =>
        report(
          "Many",
          {
            user: { id: `${at % 900}` },
            release: `shop@${at % 5}`,
            environment: at % 13 === 0 ? "staging" : "production",
            tags: { region: at < 26 ? "us" : "eu" },
          },
          at,
        ),
      ),
    );
  }
  const answer = await counted("Many");
  assert.equal([answer.eventCount, answer.examinedEventCount], [1_300, 1_300]);
  assert.equal([answer.userCount, answer.users.length, answer.users[0]?.eventCount], [900, 100, 2]);
  assert.equal(
    answer.releases.map(({ version, eventCount, firstSeenTime }) => [
      version,
      eventCount,
      firstSeenTime && millisecondsOf(firstSeenTime) - start,
    ]),
    [4, 3, 2, 1, 0].map((n) => [`shop@${n}`, 260, n * 1_000]),
  );
  assert.equal(valuesOf(answer, "environment"), [
    ["production", 1_200],
    ["staging", 100],
  ]);
  assert.equal(valuesOf(answer, "region"), [
    ["eu", 1_274],
    ["us", 26],
  ]);
  const few = await client.errors.getErrorBreakdown(
    { projectId: project.id, errorId: await idOf("Many"), userLimit: 3 },
    client.auth,
  );
  assert.equal([few.users.length, few.userCount], [3, 900]);
});

test("with a query, the matching events are counted, and the answer says how many were examined", async () => {
  for (let n = 0; n < 6; n++) {
    await report("Both", { environment: n < 2 ? "staging" : "production", user: { id: `${n}` } }, n);
  }
  const errorId = await idOf("Both");
  const answer = await client.errors.getErrorBreakdown(
    { projectId: project.id, errorId, query: "environment:staging" },
    client.auth,
  );
  assert.equal([answer.examinedEventCount, answer.searchedEventCount, answer.eventCount], [2, 6, 6]);
  assert.equal(answer.users.map(({ user }) => user).toSorted(), ["id:0", "id:1"]);
  assert.equal(valuesOf(answer, "environment"), [["staging", 2]]);
});

test("the first release of an error is the release of its earliest event that names one, in whatever order events arrive", async () => {
  const day = 86_400;
  await report("Old", {}, -60 * day);
  await report("Old", { release: "shop@3.11.0" });
  await report("Old", { release: "shop@3.7.2" }, -59 * day);
  await report("Old", { release: "shop@3.9.0" }, -20 * day);
  const errorId = await idOf("Old");
  await until("the events are counted", async () => {
    const { error } = await client.errors.getError({ projectId: project.id, errorId }, client.auth);
    return error?.firstRelease === "shop@3.7.2";
  });
});

test("an error of another project is not found", async () => {
  await report("Mine");
  const errorId = await idOf("Mine");
  const other = await createProject(server);
  await rejects(client.errors.getErrorBreakdown({ projectId: other.id, errorId }, client.auth), "NOT_FOUND");
});

test.run();
