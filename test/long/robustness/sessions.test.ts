import type { SessionCounts } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { ask, assertNothingStored, testCases, times, type Conversation } from "../../support/sentry/robustness.ts";
import { newEventId } from "../../support/sentry/send.ts";

type Json = Readonly<Record<string, unknown>>;
type Counts = Partial<Pick<SessionCounts, "healthy" | "errored" | "crashed" | "abnormal">>;

/** Envelopes that are taken one after the other, and the sessions that are counted then. */
interface SessionCase {
  readonly number: number;
  readonly claim: string;
  readonly envelopes: readonly string[];
  readonly counts: Counts;
  /** Distinct users of them; default 0. */
  readonly userCount?: number;
}

const started = new Date().toISOString();
const attrs = { release: "shop@1.2.3" };
const sid = "0123456789abcdef0123456789abcdef";
const session = (fields: Json = {}) => item("session", { sid, started, attrs, ...fields });
const sessions = (...aggregates: unknown[]) => item("sessions", { aggregates, attrs });
const item = (type: string, payload: Json) => `{"type":"${type}"}\n${JSON.stringify(payload)}`;
const envelope = (...items: string[]) => ["{}", ...items].join("\n");

/** Cases 35, 51 and 59, and 100 to 111. */
const cases: readonly SessionCase[] = [
  {
    number: 35,
    claim: "a session below an empty header counts",
    envelopes: [envelope(session())],
    counts: { healthy: 1 },
  },
  {
    number: 51,
    claim: "beside a broken event a session counts",
    envelopes: [envelope('{"type":"event"}\n{"message":', session())],
    counts: { healthy: 1 },
  },
  {
    number: 59,
    claim: "of 101 sessions the first 100 count",
    envelopes: [envelope(...times(101, () => session({ sid: newEventId() })))],
    counts: { healthy: 100 },
  },
  {
    number: 59,
    claim: "of 400 buckets in four items the first 300 count",
    envelopes: [envelope(...times(4, () => sessions(...times(100, () => ({ started, exited: 1 })))))],
    counts: { healthy: 300 },
  },
  {
    number: 59,
    claim: "buckets that are dropped count among the 300, and sessions with an id do not",
    envelopes: [
      envelope(
        ...times(3, () => sessions(...times(100, () => ({ started: "x", exited: 1 })))),
        sessions({ started, exited: 1 }),
        session(),
      ),
    ],
    counts: { healthy: 1 },
  },
  {
    number: 100,
    claim: "an update without a beginning makes the session",
    envelopes: [envelope(session({ init: false, errors: 1 }))],
    counts: { errored: 1 },
  },
  {
    number: 101,
    claim: "the same sequence twice counts once",
    envelopes: times(2, () => envelope(session({ seq: 7, status: "exited", errors: 1 }))),
    counts: { errored: 1 },
  },
  {
    number: 101,
    claim: "so it does within an envelope",
    envelopes: [envelope(session({ seq: 7 }), session({ seq: 7 }))],
    counts: { healthy: 1 },
  },
  {
    number: 102,
    claim: "an older sequence behind the end changes nothing",
    envelopes: [envelope(session({ seq: 5, status: "crashed" })), envelope(session({ seq: 3, status: "abnormal" }))],
    counts: { crashed: 1 },
  },
  {
    number: 102,
    claim: "no sequence opens what has ended",
    envelopes: [envelope(session({ seq: 5, status: "crashed" })), envelope(session({ seq: 9, status: "ok" }))],
    counts: { crashed: 1 },
  },
  ...(
    [
      ["foo", { errored: 1 }],
      ["", { errored: 1 }],
      ["unhandled", { errored: 1 }],
      ["abnormal", { abnormal: 1 }],
      [null, { healthy: 1 }],
      [5, { healthy: 1 }],
    ] as const
  ).map(([status, counts]) => ({
    number: 103,
    claim: `a session of status ${JSON.stringify(status)} counts as ${Object.keys(counts).join()}`,
    envelopes: [envelope(session({ status }))],
    counts,
  })),
  ...[undefined, {}, { release: "" }, { release: null }, { release: "a\nb" }, "shop@1.2.3"].map((sent) => ({
    number: 104,
    claim: `a session of ${JSON.stringify(sent) ?? "no attrs"} is dropped`,
    envelopes: [envelope(session({ attrs: sent }))],
    counts: {},
  })),
  ...[undefined, null, "garbage", {}, -1, "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"].map((sent) => ({
    number: 105,
    claim: `a session that started at ${JSON.stringify(sent) ?? "no time"} is dropped`,
    envelopes: [envelope(session({ started: sent }))],
    counts: {},
  })),
  {
    number: 106,
    claim: "an address of {{auto}} is fine",
    envelopes: [envelope(session({ attrs: { ...attrs, ip_address: "{{auto}}" } }))],
    counts: { healthy: 1 },
  },
  ...[-1, 1.5, 1e300, 2 ** 31, "3", {}, true].map((exited) => ({
    number: 107,
    claim: `a bucket of ${JSON.stringify(exited)} sessions is dropped alone`,
    envelopes: [envelope(sessions({ started, exited, crashed: 1 }, { started, exited: 2, errored: 1 }))],
    counts: { healthy: 2, errored: 1 },
  })),
  {
    number: 107,
    claim: "buckets without a start, and what is no bucket, are dropped alone",
    envelopes: [envelope(sessions({ exited: 1 }, null, "x", [], { started: "x", exited: 1 }, { started, exited: 1 }))],
    counts: { healthy: 1 },
  },
  {
    number: 108,
    claim: "null names no user",
    envelopes: [envelope(session({ did: null }))],
    counts: { healthy: 1 },
  },
  {
    number: 108,
    claim: 'the users 42 and "42" are one',
    envelopes: [envelope(session({ did: 42 }), session({ did: "42", sid: newEventId() }))],
    counts: { healthy: 2 },
    userCount: 1,
  },
  { number: 109, claim: "no aggregates are no sessions", envelopes: [envelope(sessions())], counts: {} },
  {
    number: 109,
    claim: "aggregates that are no list are no sessions",
    envelopes: [envelope(item("sessions", { aggregates: {}, attrs })), envelope(item("sessions", { attrs }))],
    counts: {},
  },
  {
    number: 110,
    claim: "an id and the same as UUID in capitals are one session",
    envelopes: [sid, "01234567-89AB-CDEF-0123-456789ABCDEF"].map((id, seq) => envelope(session({ sid: id, seq }))),
    counts: { healthy: 1 },
  },
  {
    number: 111,
    claim: "a crash without a beginning is one session, crashed",
    envelopes: [envelope(session({ status: "crashed" }))],
    counts: { crashed: 1 },
  },
];

const conversations: readonly Conversation[] = cases.map(({ number, claim, envelopes, counts, userCount = 0 }) => ({
  number,
  claim,
  async hold({ server, client, project }) {
    for (const body of envelopes) {
      const answer = await ask(server, project, { door: "envelope", body });
      assert.is(answer?.status, 200, answer?.text);
      assert.is(answer?.text, "{}");
    }
    const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
    const none = { healthy: 0, errored: 0, crashed: 0, abnormal: 0 };
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.equal(
      releases.map((release) => ({ version: release.version, ...release.sessions, userCount: release.userCount })),
      total === 0
        ? []
        : [{ version: attrs.release, $typeName: "faultline.v1.SessionCounts", ...none, total, ...counts, userCount }],
    );
    await assertNothingStored(client, project);
  },
}));

testCases([], conversations);
test.run();
