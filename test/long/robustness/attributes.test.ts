import type { Event } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { hasSize, type Decision } from "../../support/assert/includes.ts";
import {
  ask,
  eventCases,
  storedEvents,
  testCases,
  times,
  type Conversation,
  type EventCase,
} from "../../support/sentry/robustness.ts";
import { day, milliseconds } from "../../support/sentry/sentry-event.ts";
import { storedErrors } from "../../support/database/stored.ts";

const fromReceipt =
  (ms: number): Decision =>
  (_, { occurredTime, receivedTime }) =>
    Math.abs(millis(occurredTime) - millis(receivedTime) - ms) < 1;
const atReceipt = fromReceipt(0);
const is =
  (wanted: number): Decision =>
  (_, { occurredTime }) =>
    Math.abs(millis(occurredTime) - wanted) < 1;
const saysSent =
  (seconds: number): Decision =>
  (_, { timeBound }) =>
    millis(timeBound?.sentTime) === seconds * 1000;
const millis = (time: Event["occurredTime"]) => milliseconds(time) ?? Number.NaN;
const recently = Math.floor(Date.now() / 1000) - 7_200;
const iso = new Date(recently * 1000).toISOString().slice(0, -5);

/** Cases 83 to 89: times, levels, tags, users, fingerprints. */
const attributes: readonly EventCase[] = [
  ...[recently, recently + 0.0005, `${recently}`, recently * 1000, `${iso}.000000000Z`, iso, `${iso}+00:00`].map(
    (timestamp) => ({
      number: 83,
      claim: `a time like ${JSON.stringify(timestamp)
        .replace(/\d{4,}/, "N")
        .replace(iso, "T")} is read`,
      event: { timestamp },
      stored: { occurredTime: is(recently * 1000) },
    }),
  ),
  {
    number: 83,
    claim: "a time zone is heeded",
    event: { timestamp: `${new Date(recently * 1000 + 7_200_000).toISOString().slice(0, -5)}+02:00` },
    stored: { occurredTime: is(recently * 1000) },
  },
  ...["yesterday", null, 1e300, -5, {}, [], "", "0000-00-00T00:00:00Z"].map((timestamp) => ({
    number: 83,
    claim: `a time of ${JSON.stringify(timestamp)} is that of receipt`,
    event: { timestamp },
    stored: { occurredTime: atReceipt },
  })),
  {
    number: 83,
    claim: "the year 9999 is a minute from now",
    event: { timestamp: "9999-01-01T00:00:00Z" },
    stored: { occurredTime: fromReceipt(60_000), timeBound: saysSent(Date.UTC(9999, 0, 1) / 1000) },
  },
  {
    number: 85,
    claim: "200 days ago is 90 days ago, and the event says so",
    event: { timestamp: recently - 200 * 86_400 },
    stored: { occurredTime: fromReceipt(-90 * day), timeBound: saysSent(recently - 200 * 86_400) },
  },
  {
    number: 85,
    claim: "89 days ago is 89 days ago",
    event: { timestamp: recently - 89 * 86_400 },
    stored: { occurredTime: is((recently - 89 * 86_400) * 1000), timeBound: undefined },
  },
  ...(
    [
      ["WARN", "warning"],
      [40, "error"],
      ["critical", "fatal"],
      ["log", "info"],
      [{}, "error"],
      ["", "error"],
      [null, "error"],
    ] as const
  ).map(([level, meant]) => ({
    number: 86,
    claim: `level ${JSON.stringify(level)} is ${meant}`,
    event: { level },
    stored: { level: meant },
  })),
  {
    number: 87,
    claim: "tags may be a map",
    event: { tags: { a: "1", b: null, c: { d: 1 }, "e f": 5, "g\n": "h\ni" } },
    stored: { tags: { a: "1", b: undefined, c: '{"d":1}', "e-f": "5", g: "h i" } },
  },
  {
    number: 87,
    claim: "tags may be pairs, and the first of a key wins",
    event: { tags: [["a", "1"], ["a", "2"], null, ["b"], "x", [[], {}]] },
    stored: { tags: ((tags: unknown) => JSON.stringify(tags) === '{"a":"1"}') as Decision },
  },
  {
    number: 87,
    claim: "of 5,000 tags 100 are kept",
    event: { tags: Object.fromEntries(times(5_000, (index) => [`t${index}`, index])) },
    stored: { tags: hasSize(100) },
  },
  {
    number: 87,
    claim: "a tag is cut at 200 characters",
    event: { tags: { a: "x".repeat(300) } },
    stored: { tags: { a: `${"x".repeat(197)}...` } },
  },
  ...[null, "str", {}, [], { ip_address: "nope" }, { id: {} }].map((user) => ({
    number: 88,
    claim: `${JSON.stringify(user)} is no user`,
    event: { user },
    stored: { user: undefined },
  })),
  { number: 88, claim: "a user's id may be a number", event: { user: { id: 42 } }, stored: { user: { id: "42" } } },
  {
    number: 88,
    claim: "the address {{auto}} is the sender's",
    event: { user: { ip_address: "{{auto}}" } },
    stored: { user: { ipAddress: "127.0.0.1" } },
  },
  ...[
    [],
    ["{{ default }}"],
    ["{{default}}", "x"],
    "x",
    [1, true, null, {}],
    times(100, (index) => `${index}`.repeat(300)),
    {},
    null,
  ].map((fingerprint) => ({
    number: 89,
    claim: `the fingerprint ${JSON.stringify(fingerprint).slice(0, 30)} groups`,
    event: { fingerprint, message: "printed" },
    stored: { title: "printed" },
  })),
];

/** Fingerprints that mean the same, line by line. */
const sameFingerprints: readonly (readonly unknown[])[] = [
  [undefined, null, [], ["{{ default }}"], ["{{default}}"], {}, [""], [null, {}]],
  ["x", ["x"], ["x", null]],
  [
    ["1", "true"],
    [1, true, null, {}],
  ],
  [
    ["{{ default }}", "x"],
    ["{{default}}", "x"],
  ],
];

const conversations: readonly Conversation[] = [
  {
    number: 89,
    claim: "fingerprints that mean the same are one error, and others are others",
    async hold({ server, client, project }) {
      for (const fingerprint of sameFingerprints.flat()) {
        const body = JSON.stringify({ fingerprint, message: "printed" });
        assert.is((await ask(server, project, { body }))?.status, 200);
      }
      const errors = await storedErrors(client, project.id);
      assert.equal(
        errors.map(({ eventCount }) => eventCount).toSorted(),
        sameFingerprints.map(({ length }) => length).toSorted(),
      );
    },
  },
  ...(
    [
      ["a day ahead moves the event", day, -day],
      ["30 minutes ahead leaves it", 1_800_000, 0],
      ["that is no time leaves it", Number.NaN, 0],
    ] as const
  ).map(([claim, ahead, shift]) => ({
    number: 84,
    claim: `a sent_at ${claim}`,
    async hold({ server, client, project }: Parameters<Conversation["hold"]>[0]) {
      const now = Date.now();
      const sentAt = Number.isNaN(ahead) ? "soon" : new Date(now + ahead).toISOString();
      const stated = now - 3_600_000 + (Number.isNaN(ahead) ? 0 : ahead > 3_600_000 ? ahead : 0);
      const body = `{"sent_at":"${sentAt}"}\n{"type":"event"}\n{"timestamp":${stated / 1000}}`;
      assert.is((await ask(server, project, { door: "envelope", body }))?.status, 200);
      const [event] = await storedEvents(client, project);
      const off = millis(event?.occurredTime) - stated - shift;
      // The service compares with the moment at which it gets the event.
      assert.ok(off > -1_000 && off < Date.now() - now + 1_000, `${off} ms off`);
    },
  })),
  {
    number: 88,
    claim: '42 and "42" are one affected user',
    async hold({ server, client, project }) {
      for (const id of [42, "42"])
        assert.is((await ask(server, project, { body: JSON.stringify({ message: "m", user: { id } }) }))?.status, 200);
      const errors = await storedErrors(client, project.id);
      assert.equal(
        errors.map(({ eventCount, affectedUserCount }) => [eventCount, affectedUserCount]),
        [[2, 1]],
      );
    },
  },
];

testCases(eventCases(attributes), conversations);
test.run();
