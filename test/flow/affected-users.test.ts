import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/flow.ts";
import { createProject } from "../support/project.ts";
import { newEventId, sendEvent, sendStore } from "../support/send.ts";

/** Users are counted only where the code identifies them (specification 2.3). The test's own address is 127.0.0.1. */

type Event = Readonly<Record<string, unknown>>;

const { server, client } = await runningServer();
const project = await createProject(server);

let errors = 0;

/** Reports events of one new error; the number of users it affected, and the user of each event, newest first. */
async function affected(events: readonly Event[]): Promise<{ count: number; users: string[] }> {
  const type = `Error${++errors}`;
  for (const [index, event] of events.entries()) {
    const send = index % 2 === 0 ? sendEvent : sendStore;
    const answer = await send(server, project, {
      event_id: newEventId(),
      platform: "python",
      exception: { values: [{ type, value: "happened" }] },
      fingerprint: [type], // else platforms would be errors of their own
      ...event,
    });
    assert.is(answer.status, 200, answer.text);
  }
  const of = { projectId: project.id };
  const { errors: found } = await client.errors.listErrors({ ...of, query: type, pageSize: 100 }, client.auth);
  const error = found.find((candidate) => candidate.type === type);
  assert.ok(error);
  assert.is(error.eventCount, events.length);
  const list = await client.errors.listEvents({ ...of, errorId: error.errorId, pageSize: 100 }, client.auth);
  return { count: error.affectedUserCount, users: list.events.map(({ user }) => user) };
}

const users = (...sent: unknown[]) => sent.map((user) => ({ user }));
const long = "x".repeat(500);

const counts: [claim: string, events: readonly Event[], count: number][] = [
  ["42 and '42' are one user", users({ id: 42 }, { id: "42" }, { id: " 42 " }), 1],
  [
    "id, username, e-mail and address identify one user each",
    users({ id: "a" }, { username: "a" }, { email: "a@x" }, { ip_address: "192.0.2.1" }),
    4,
  ],
  ["the same of each twice counts once", users({ username: "ann" }, { name: "ann" }, { username: "ann " }), 1],
  ["an id wins over what stands beside it", users({ id: 1, email: "a@x" }, { id: 1, email: "b@x" }), 1],
  ["two ids with the same e-mail are two users", users({ id: 1, email: "a@x" }, { id: 2, email: "a@x" }), 2],
  ["an id and a username of the same text are two users", users({ id: "ann" }, { username: "ann" }), 2],
  ["who is not identified is not counted", [{}, ...users(null, {}, "ann", [], { segment: "beta" }, { data: {} })], 0],
  ["blank names identify nobody", users({ id: "" }, { id: " " }, { username: "\t" }, { email: " ", id: null }), 0],
  [
    "booleans are names, and zero is one",
    users({ id: true }, { id: "true" }, { id: false }, { id: 0 }, { id: "0" }),
    3,
  ],
  ["objects and lists are no names", users({ id: {} }, { id: [1] }, { username: { a: 1 } }), 0],
  ["an address that is none identifies nobody", users({ ip_address: "nope" }, { ip_address: "[Filtered]" }), 0],
  ["very long ids are cut alike", users({ id: long }, { id: long }, { id: `a${long}` }), 2],
  ["the peer of a server's SDK is no user", [{ platform: "python" }, { platform: "java" }, { platform: "node" }], 0],
  ["the peer of a browser or a phone is a user", [{ platform: "javascript" }, { platform: "cocoa" }], 1],
  ["a browser's named user is not its address", [{ platform: "javascript", user: { id: 7 } }], 1],
  [
    "{{auto}} is the peer, told by an SDK or found by us",
    [{ user: { ip_address: "{{auto}}" } }, { platform: "javascript" }, { user: { ip_address: "127.0.0.1" } }],
    1,
  ],
  [
    "a server tells its visitor's address in the request",
    [{ request: { env: { REMOTE_ADDR: "192.0.2.1" } } }, { request: { env: { REMOTE_ADDR: "192.0.2.2" } } }],
    2,
  ],
  ["the old name of the field counts the same", [{ "sentry.interfaces.User": { id: 1 } }, ...users({ id: 1 })], 1],
];

for (const [claim, events, count] of counts) {
  test(claim, async () => assert.is((await affected(events)).count, count));
}

test("events say whom they affected", async () => {
  const { users: shown } = await affected(users({ id: 42 }, { username: "ann" }, { email: "a@x" }, null));
  assert.equal(shown.toSorted(), ["", "email:a@x", "id:42", "username:ann"]);
});

test("a user of two errors is counted in each", async () => {
  assert.is((await affected(users({ id: "both" }))).count, 1);
  assert.is((await affected(users({ id: "both" }))).count, 1);
});

test.run();
