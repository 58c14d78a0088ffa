import { gunzipSync } from "node:zlib";
import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import { type SessionAggregate, SessionStatus, type SessionUpdate } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readSessionAggregates, readSessionUpdate } from "../../plugins/http-bridge/src/ingest/items/session.ts";
import { isLeftAside, type LeftAside } from "../../plugins/http-bridge/src/ingest/items/left-aside.ts";
import { readCaptures } from "../support/sentry/capture.ts";
import { day, hour, id, milliseconds, receivedAt } from "../support/sentry/sentry-event.ts";

const arrival = { projectId: 42, receivedAt };
const generated = "f".repeat(32);
const startedAt = receivedAt - hour;
const iso = (ms: number) => new Date(ms).toISOString();

const session: JsonObject = {
  sid: id,
  started: iso(startedAt),
  attrs: { release: "shop@1.2.3", environment: "prod" },
};

function update(fields: JsonObject = {}, more: { sentAt?: number } = {}): SessionUpdate | undefined {
  return kept(readSessionUpdate({ ...session, ...fields }, { ...arrival, ...more }, () => generated));
}

/** What was read; undefined: it is left aside, by a name that test/flow/database/left-aside.test.ts looks at. */
function kept<T extends object>(found: T | LeftAside): T | undefined {
  return isLeftAside(found) ? undefined : found;
}

const readUpdate = (item: JsonObject, at = arrival) => kept(readSessionUpdate(item, at));
const readAggregates = (item: JsonObject, at = arrival) =>
  readSessionAggregates(item, at).flatMap((found) => kept(found) ?? []);

function read(fields: JsonObject = {}): SessionUpdate {
  const found = update(fields);
  assert.ok(found, "the session was dropped");
  return found;
}

/** A claim, what is sent, and what is read of it. */
type Table = [claim: string, sent: JsonValue, found: string | number][];

const updates = suite("session");

updates("a session with nothing but id, start and release goes on, without errors, user and environment", () => {
  assert.equal(
    { ...readSessionUpdate({ sid: id, started: iso(startedAt), attrs: { release: "r" } }, arrival) },
    {
      $typeName: "faultline.v1.SessionUpdate",
      projectId: 42,
      sessionId: id,
      release: "r",
      environment: "",
      startedTime: time(startedAt),
      userDigest: "",
      sequence: BigInt(receivedAt),
      updatedTime: time(receivedAt),
      status: SessionStatus.OK,
      errorCount: 0,
      receivedTime: time(receivedAt),
    },
  );
});

function time(ms: number) {
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(ms) / 1000n, nanos: (ms % 1000) * 1e6 };
}

const ids: Table = [
  ["32 digits", id, id],
  ["upper case", id.toUpperCase(), id],
  ["a hyphenated UUID", "01234567-89AB-cdef-0123-456789ABCDEF", id],
  ["no id", null, generated],
  ["a number", 7, generated],
  ["a nil id", "0".repeat(32), generated],
  ["31 digits", id.slice(1), generated],
];
for (const [claim, sid, found] of ids) {
  updates(`${claim} as id is ${found === id ? "the session's" : "replaced"}`, () => {
    assert.is(read({ sid }).sessionId, found);
  });
}

updates("each session without an id gets one of its own", () => {
  const [one, other] = [1, 2].map(() => readUpdate({ ...session, sid: null })?.sessionId);
  assert.match(one ?? "", /^[0-9a-f]{32}$/);
  assert.is.not(one, other);
});

const sequences: Table = [
  ["a number", 7, 7],
  ["milliseconds, as in Java", receivedAt, receivedAt],
  ["0", 0, 0],
  ["none", null, receivedAt],
  ["text", "7", receivedAt],
  ["a fraction", 1.5, receivedAt],
  ["a negative number", -1, receivedAt],
  ["more than 2^53", 1e30, Number.MAX_SAFE_INTEGER],
];
for (const [claim, seq, found] of sequences) {
  updates(`${claim} as sequence is ${found}`, () => assert.is(read({ seq }).sequence, BigInt(found)));
}

updates("the first update has the sequence 0, whatever it says", () => {
  assert.is(read({ init: true, seq: 99 }).sequence, 0n);
  assert.is(read({ init: true }).sequence, 0n);
  assert.is(read({ init: false }).sequence, BigInt(receivedAt));
  assert.is(read({ init: "yes" }).sequence, BigInt(receivedAt));
});

const { OK, EXITED, ERRORED, UNHANDLED, ABNORMAL, CRASHED } = SessionStatus;
const statuses: [sent: JsonValue, status: SessionStatus, errors: number][] = [
  ["ok", OK, 0],
  ["exited", EXITED, 0],
  ["errored", ERRORED, 0],
  ["unhandled", UNHANDLED, 1],
  ["abnormal", ABNORMAL, 1],
  ["crashed", CRASHED, 1],
  ["foo", ERRORED, 0],
  [null, OK, 0],
  [5, OK, 0],
];
for (const [status, found, errors] of statuses) {
  updates(`status ${JSON.stringify(status)} is status ${found} with at least ${errors} errors`, () => {
    assert.equal([read({ status }).status, read({ status }).errorCount], [found, errors]);
    assert.is(read({ status, errors: 5 }).errorCount, 5);
  });
}

const errorCounts: Table = [
  ["a number", 3, 3],
  ["none", null, 0],
  ["a negative number", -3, 0],
  ["a fraction", 2.5, 0],
  ["text", "3", 0],
  ["more than 32 bits hold", 1e15, 2 ** 32 - 1],
];
for (const [claim, errors, found] of errorCounts) {
  updates(`${claim} as errors is ${found}`, () => assert.is(read({ errors }).errorCount, found));
}

updates("a user is kept as a digest that differs from project to project", () => {
  const digest = read({ did: "42" }).userDigest;
  assert.match(digest, /^[0-9a-f]{32}$/);
  assert.is(read({ did: 42 }).userDigest, digest);
  assert.is.not(read({ did: "43" }).userDigest, digest);
  const elsewhere = readUpdate({ ...session, did: "42" }, { ...arrival, projectId: 43 });
  assert.is.not(elsewhere?.userDigest, digest);
});
updates("a user identified by an e-mail or IP address has one digest, however it is written", () => {
  const digest = (did: string) => read({ did }).userDigest;
  assert.is(digest("Ann@Example.com"), digest("ann@EXAMPLE.com"));
  assert.is(digest("::1"), digest("0:0:0:0:0:0:0:1"));
  assert.is.not(digest("Ann"), digest("ann"));
});

for (const did of [null, "", " ", {}, ["42"], true]) {
  updates(`${JSON.stringify(did)} is no user`, () => assert.is(read({ did }).userDigest, ""));
}

for (const release of [undefined, null, "", " ", ".", "..", "a\nb", {}]) {
  updates(`a session of release ${JSON.stringify(release)} is dropped`, () => {
    assert.is(update({ attrs: release === undefined ? {} : { release } }), undefined);
  });
}
for (const attrs of [null, "shop", []]) {
  updates(`a session with ${JSON.stringify(attrs)} as attributes is dropped`, () => {
    assert.is(update({ attrs }), undefined);
  });
}

updates("release and environment are read as those of events", () => {
  assert.is(read({ attrs: { release: 123 } }).release, "123");
  assert.is(read({ attrs: { release: "@scope/app@1.0" } }).release, "@scope/app@1.0");
  assert.is(read({ attrs: { release: "x".repeat(300) } }).release.length, 200);
  assert.is(read({ attrs: { release: "r", environment: "review/a" } }).environment, "review/a");
  assert.is(read({ attrs: { release: "r", environment: null } }).environment, "");
});

updates("an address in the attributes is not looked at", () => {
  const attrs = { release: "r", ip_address: "{{auto}}", user_agent: 5 };
  assert.is(read({ attrs }).release, "r");
});

const starts: [claim: string, started: JsonValue, isKept: boolean][] = [
  ["now", iso(receivedAt), true],
  ["now in seconds", receivedAt / 1000, true],
  ["with nanoseconds, as in Rust", "2026-11-21T11:21:03.542749059Z", true],
  ["4 days and 23 hours ago", iso(receivedAt - 5 * day + hour), true],
  ["5 days and a second ago", iso(receivedAt - 5 * day - 1000), false],
  ["50 seconds ahead", iso(receivedAt + 50_000), true],
  ["61 seconds ahead", iso(receivedAt + 61_000), false],
  ["missing", null, false],
  ["a word", "yesterday", false],
  ["an object", {}, false],
  ["negative", -5, false],
];
for (const [claim, started, isKept] of starts) {
  updates(`a start that is ${claim} ${isKept ? "counts" : "drops the session"}`, () => {
    assert.is(update({ started }) !== undefined, isKept);
  });
}

updates("a sender's clock a day ahead is corrected, half an hour is not", () => {
  const ahead = (ms: number) =>
    update({ started: iso(startedAt + ms), timestamp: iso(startedAt + 60_000 + ms) }, { sentAt: receivedAt + ms });
  for (const ms of [day, -400 * day]) {
    assert.is(milliseconds(ahead(ms)?.startedTime), startedAt);
    assert.is(milliseconds(ahead(ms)?.updatedTime), startedAt + 60_000);
  }
  assert.is(milliseconds(ahead(-30 * 60_000)?.startedTime), startedAt - 30 * 60_000);
});

updates("the time of an update is its own, or that of its receipt", () => {
  assert.is(milliseconds(read({ timestamp: iso(startedAt + 5) }).updatedTime), startedAt + 5);
  assert.is(milliseconds(read({ timestamp: "never" }).updatedTime), receivedAt);
});

updates.run();

const aggregates = suite("sessions");
const bucket: JsonObject = { started: iso(startedAt), exited: 2, errored: 1 };

function buckets(sent: JsonValue, fields: JsonObject = {}): SessionAggregate[] {
  return readAggregates({ attrs: { release: "r", environment: "prod" }, aggregates: sent, ...fields });
}

aggregates("a bucket counts what it names", () => {
  assert.equal(buckets([{ ...bucket, unhandled: 3, abnormal: 4, crashed: 5, exited: null }]), [
    {
      $typeName: "faultline.v1.SessionAggregate",
      projectId: 42,
      release: "r",
      environment: "prod",
      startedTime: time(startedAt),
      userDigest: "",
      exited: 0,
      errored: 1,
      unhandled: 3,
      abnormal: 4,
      crashed: 5,
    },
  ] as unknown as SessionAggregate[]); // literals have no type name
});

aggregates("a bucket's user has the digest that the user of a session has", () => {
  assert.is(buckets([{ ...bucket, did: 42 }])[0]?.userDigest, read({ did: "42" }).userDigest);
});

for (const count of [-1, 1.5, 2 ** 31, 1e300, "3", true, {}, [1]]) {
  aggregates(`a bucket that counts ${JSON.stringify(count)} is dropped, and no other`, () => {
    for (const name of ["exited", "errored", "unhandled", "abnormal", "crashed"]) {
      assert.equal(
        buckets([{ ...bucket, [name]: count }, bucket]).map(({ exited }) => exited),
        [2],
        name,
      );
    }
  });
}

for (const started of [null, "yesterday", iso(receivedAt - 6 * day), iso(receivedAt + hour)]) {
  aggregates(`a bucket that started ${started} is dropped, and no other`, () => {
    assert.is(buckets([{ ...bucket, started }, bucket]).length, 1);
  });
}

aggregates("a bucket without any session is dropped", () => {
  assert.equal(buckets([{ started: iso(startedAt), exited: 0 }, { started: iso(startedAt) }]), []);
});

aggregates("what is no list of buckets holds none", () => {
  for (const sent of [[], null, {}, "x", [null, 5, "x", [bucket]]]) assert.equal(buckets(sent), []);
});

aggregates("of more than 100 buckets the first 100 are read", () => {
  const found = buckets(Array.from({ length: 150 }, (_, n) => ({ ...bucket, exited: n + 1 })));
  assert.is(found.length, 100);
  assert.is(found.at(-1)?.exited, 100);
});

aggregates("buckets without a usable release are dropped", () => {
  assert.equal(buckets([bucket], { attrs: { environment: "prod" } }), []);
  assert.equal(buckets([bucket], { attrs: null }), []);
});

aggregates.run();

const captures = suite("captured sessions");

/** The payloads of the items of a type in a captured envelope, and a time of receipt that suits them. */
function captured(name: string, type: "session" | "sessions") {
  const capture = readCaptures().find((one) => one.name === name);
  assert.ok(capture, `${name} is not there`);
  const text = (capture.body[0] === 0x1f ? gunzipSync(capture.body) : capture.body).toString();
  const lines = text.split("\n").filter((line) => line !== "");
  const json = lines.map((line) => JSON.parse(line) as JsonObject);
  return {
    items: json.filter((_, n) => json[n - 1]?.["type"] === type),
    at: { ...arrival, receivedAt: Date.UTC(2026, 10, 20, 23, 30) },
  };
}

captures("Python's sessions of an application are read", () => {
  const { items, at } = captured("python-1.21.0/20-sessions-r2", "session");
  assert.equal(
    items.map((item) => {
      const { release, environment, sequence, status, errorCount } = readUpdate(item, at) ?? {};
      return [release, environment, sequence, status, errorCount];
    }),
    [
      ["shop@1.2.3", "staging", 0n, EXITED, 1],
      ["shop@1.2.3", "staging", 0n, EXITED, 0],
      ["shop@1.2.3", "staging", 0n, CRASHED, 1],
    ],
  );
});

captures("Python's sessions of requests are read", () => {
  const { items, at } = captured("python-1.21.0/20-sessions-r2", "sessions");
  assert.equal(
    items.flatMap((item) => readAggregates(item, at)).map(({ exited, crashed }) => [exited, crashed]),
    [[3, 1]],
  );
});

captures("Rust's sessions are read, of which one comes with its event", () => {
  for (const name of ["rust-0.31.0/22-sessions-r1", "rust-0.31.0/22-sessions-r2"]) {
    const { items, at } = captured(name, "session");
    assert.ok(items.length > 0);
    for (const item of items) {
      const found = readUpdate(item, at);
      assert.is(found?.release, "shop@1.2.3");
      assert.is(found?.userDigest, "");
      assert.is(found?.errorCount, 1);
    }
  }
});

captures.run();
