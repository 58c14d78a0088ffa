import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent, sendStore } from "../../support/sentry/send.ts";

/** Users are counted only where the code identifies them (specification 2.3). The test's own address is 127.0.0.1. */

type Event = Readonly<Record<string, unknown>>;

const { server, client } = await sharedServer();
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
      fingerprint: [type], // otherwise each platform would be a separate error
      ...event,
    });
    assert.is(answer.status, 200, answer.text);
  }
  return countedOf(type, events.length);
}

async function countedOf(type: string, events: number): Promise<{ count: number; users: string[] }> {
  const of = { projectId: project.id };
  const { errors: found } = await client.errors.listErrors({ ...of, query: type, pageSize: 100 }, client.auth);
  const error = found.find((candidate) => candidate.type === type);
  assert.ok(error);
  assert.is(error.eventCount, events);
  const list = await client.errors.listEvents({ ...of, errorId: error.errorId, pageSize: 100 }, client.auth);
  return { count: error.affectedUserCount, users: list.events.map(({ user }) => user) };
}

const users = (...sent: unknown[]) => sent.map((user) => ({ user }));
const long = "x".repeat(500);
const blanks = " ".repeat(500);

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
  ["a truth value identifies nobody", users({ id: false }, { id: true }, { username: false }, { email: false }), 0],
  ["blanks longer than a name identify nobody", users({ id: blanks }, { username: blanks }, { email: blanks }), 0],
  [
    "what identifies nobody leaves the counting to the next name",
    users({ id: false, email: "ann@x" }, { id: " ", username: "", email: "ann@x" }, { username: " ", name: "Ann" }),
    2,
  ],
  ["zero is a name, and so are words for truth", users({ id: 0 }, { id: "0" }, { id: "true" }, { id: "false" }), 3],
  [
    "an e-mail address has no case",
    users({ email: "Ann@Ex.com" }, { email: "ann@EX.COM" }, { email: "ANN@ex.com" }),
    1,
  ],
  [
    "neither has one beyond ASCII, where the machine stands does not matter",
    users({ email: "ÉLODIE@Exämple.DE" }, { email: "élodie@exämple.de" }, { email: "INFO@x" }, { email: "info@x" }),
    2,
  ],
  ["ids and usernames have case", users({ id: "Ann" }, { id: "ann" }, { username: "Ann" }, { username: "ann" }), 4],
  [
    "an IPv6 address is one, however it is written",
    users({ ip_address: "::1" }, { ip_address: "0:0:0:0:0:0:0:1" }, { ip_address: "0000:0:0::0001" }),
    1,
  ],
  [
    "an IPv4 address mapped into IPv6 is that address",
    users({ ip_address: "192.0.2.1" }, { ip_address: "::ffff:192.0.2.1" }, { ip_address: "::FFFF:c000:201" }),
    1,
  ],
  [
    "the zone of an address is the server's",
    users({ ip_address: "fe80::1%eth0" }, { ip_address: "FE80:0::1%en1" }, { ip_address: "fe80::1" }),
    1,
  ],
  ["objects and lists are no names", users({ id: {} }, { id: [1] }, { username: { a: 1 } }), 0],
  ["an address that is none identifies nobody", users({ ip_address: "nope" }, { ip_address: "[Filtered]" }), 0],
  ["very long ids are cut alike", users({ id: long }, { id: long }, { id: `a${long}` }), 2],
  ["the peer of a server's SDK is no user", [{ platform: "python" }, { platform: "java" }, { platform: "node" }], 0],
  [
    "the peer of a browser or a phone is a user whom nobody identified",
    ["javascript", "cocoa", "objc"].flatMap((platform) => [{ platform }, { platform, user: { segment: "beta" } }]),
    0,
  ],
  ["a browser's named user is not its address", [{ platform: "javascript", user: { id: 7 } }], 1],
  [
    "{{auto}} is the peer, asked for by an SDK or named by it",
    [
      { user: { ip_address: "{{auto}}" } },
      { sdk: { settings: { infer_ip: "auto" } } },
      { user: { ip_address: "127.0.0.1" } },
    ],
    1,
  ],
  [
    "the visitor's address in a server's request identifies nobody",
    [{ request: { env: { REMOTE_ADDR: "192.0.2.1" } } }, { request: { env: { REMOTE_ADDR: "{{auto}}" } } }],
    0,
  ],
  [
    "it does where the SDK asks for an address",
    [
      { request: { env: { REMOTE_ADDR: "192.0.2.1" } }, user: { ip_address: "{{auto}}" } },
      { request: { env: { REMOTE_ADDR: "192.0.2.2" } }, sdk: { settings: { infer_ip: "auto" } } },
    ],
    2,
  ],
  [
    "who opted out is not counted",
    [
      { user: { ip_address: "{{auto}}" }, sdk: { settings: { infer_ip: "never" } } },
      { platform: "javascript", user: {}, sdk: { settings: { infer_ip: "later" } } },
    ],
    0,
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

const sender = "127.0.0.1";
const named = "123.123.123.123";
const ofRequest = "111.222.111.222";

/** By `sdk.settings.infer_ip`: never, auto and none. */
type Stored = readonly [never: string, auto: string, none: string];

const addresses: [claim: string, event: Event, stored: Stored][] = [
  ...["javascript", "cocoa", "objc", null, "python"].flatMap((platform): [string, Event, Stored][] => {
    const isOnDevice = platform !== null && platform !== "python";
    const legacy = isOnDevice ? sender : "";
    const of = (user: unknown) => ({ platform, user });
    return [
      [`${platform} asks for it`, of({ ip_address: "{{auto}}" }), ["", sender, sender]],
      [`${platform} gives none`, of({ ip_address: null }), ["", sender, legacy]],
      [`${platform} gives one that is none`, of({ ip_address: "[Filtered]" }), ["", sender, legacy]],
      [`${platform} names one`, of({ ip_address: named }), [named, named, named]],
      [`${platform} names no user`, of(null), ["", sender, ""]],
      [`${platform} names a user by id`, of({ id: 42 }), ["", sender, legacy]],
      [`${platform} asks for it beside an id`, of({ id: 42, ip_address: "{{auto}}" }), ["", sender, sender]],
    ];
  }),
  ["a request has one", { request: { env: { REMOTE_ADDR: ofRequest } } }, ["", ofRequest, ofRequest]],
  [
    "a request has one beside another",
    { user: { ip_address: named }, request: { env: { REMOTE_ADDR: ofRequest } } },
    [named, named, named],
  ],
  [
    "a request has the one that is asked for",
    { user: { id: 42, ip_address: "{{auto}}" }, request: { env: { REMOTE_ADDR: ofRequest } } },
    ["", ofRequest, ofRequest],
  ],
];

for (const [claim, event, stored] of addresses) {
  test(`the address that is stored where ${claim}, by the setting for inferring it`, async () => {
    for (const [index, infer_ip] of ["never", "auto", null, "legacy", "invalid", 7].entries()) {
      const event_id = newEventId();
      const send = index % 2 === 0 ? sendEvent : sendStore;
      const answer = await send(server, project, { ...event, event_id, message: "m", sdk: { settings: { infer_ip } } });
      assert.is(answer.status, 200, answer.text);
      const { event: shown } = await client.errors.getEvent({ projectId: project.id, eventId: event_id }, client.auth);
      const [never, auto, none] = stored;
      const meant = infer_ip === "auto" ? auto : infer_ip === null || infer_ip === "legacy" ? none : never;
      assert.is(shown?.user?.ipAddress ?? "", meant, `${infer_ip}`);
      if (meant !== sender) assert.not.match(shown?.payloadJson ?? "", sender);
    }
  });
}

test("a person is counted under one spelling, and the event shows the sent spelling", async () => {
  for (const [sent, key] of [
    [{ email: "Ann@Ex.com" }, "email:ann@ex.com"],
    [{ ip_address: "2001:DB8:0:0::1" }, "ip:2001:db8::1"],
  ] as const) {
    const event_id = newEventId();
    assert.equal((await affected([{ event_id, user: sent }])).users, [key]);
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId: event_id }, client.auth);
    assert.equal(
      [event?.user?.email, event?.user?.ipAddress],
      ["email" in sent ? sent.email : "", "ip_address" in sent ? sent.ip_address : ""],
    );
  }
});

/** Events of one error, reported over gRPC with these keys; the users it affected. */
async function affectedOverGrpc(keys: readonly string[]): Promise<{ count: number; users: string[] }> {
  const type = `Error${++errors}`;
  const events = keys.map((user) => ({ projectId: project.id, eventId: newEventId(), exceptions: [{ type }], user }));
  await client.ingest.reportEvents({ events }, client.auth);
  return countedOf(type, keys.length);
}

test("keys that services report over gRPC have one spelling", async () => {
  const keys = ["email:Ann@Ex.com", "email: ann@ex.com", "ip:0:0:0:0:0:0:0:1", "ip:::1", "id:Ann", "id:ann", "ann"];
  const { count, users: shown } = await affectedOverGrpc([...keys, "id: ", "email:", "ip:nope", " "]);
  assert.equal([...new Set(shown)].toSorted(), ["", "ann", "email:ann@ex.com", "id:Ann", "id:ann", "ip:::1"]);
  assert.is(count, 5);
});

test("one person is the same over HTTP and over gRPC", async () => {
  const type = `Error${++errors}`;
  const sent = await sendStore(server, project, {
    event_id: newEventId(),
    fingerprint: [type],
    exception: { values: [{ type }] },
    user: { ip_address: "::ffff:192.0.2.1" },
  });
  assert.is(sent.status, 200, sent.text);
  const reported = { eventId: newEventId(), fingerprint: [type], exceptions: [{ type }], user: "ip:192.0.2.1" };
  await client.ingest.reportEvents({ events: [{ projectId: project.id, ...reported }] }, client.auth);
  assert.equal(await countedOf(type, 2), { count: 1, users: ["ip:192.0.2.1", "ip:192.0.2.1"] });
});

test("a user of two errors is counted in each", async () => {
  assert.is((await affected(users({ id: "both" }))).count, 1);
  assert.is((await affected(users({ id: "both" }))).count, 1);
});

test.run();
