import { millisecondsOf } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readIssueTags, readIssueUsers } from "../../../plugins/external-backend/src/reading/index.ts";

/** The tags and users of an issue in the answers of an external system, none of which is trusted. */

type Json = Parameters<typeof readIssueTags>[0];

const seen = { firstSeen: "2026-01-10T10:00:00Z", lastSeen: "2026-01-10T11:00:00Z" };

test("keys come with their counts and values, the most frequent first; users and releases apart", () => {
  const answer = readIssueTags([
    {
      key: "browser",
      totalValues: 8,
      topValues: [
        { value: "Chrome", count: 1 },
        { value: "Safari", count: 7 },
      ],
    },
    { key: "level", totalValues: 10, uniqueValues: 1, topValues: [{ value: "error", count: 10 }] },
    { key: "release", totalValues: 9, uniqueValues: 30, topValues: [{ value: "shop@1", count: 9, ...seen }] },
    { key: "user", totalValues: 4, topValues: [] },
  ]);
  assert.equal(
    answer.tags.map(({ key, eventCount, valueCount }) => [key, eventCount, valueCount]),
    [
      ["level", 10, 1],
      ["release", 9, 30],
      ["browser", 8, 2],
    ],
  );
  assert.equal(answer.tags[2]?.values, [
    { value: "Safari", eventCount: 7 },
    { value: "Chrome", eventCount: 1 },
  ]);
  assert.equal([answer.countedEvents, answer.namesUsers, answer.releaseCount], [10, true, 30]);
  const [release] = answer.releases;
  assert.equal([release?.version, release?.eventCount], ["shop@1", 9]);
});

test("users come with their names, and are named as they are counted here", () => {
  const users = readIssueUsers([
    { value: "email:Ann@Example.com", count: 1, email: "Ann@Example.com", ...seen },
    { value: "id:7", count: "3", id: "7", username: null, email: "bob@example.com", ipAddress: "203.0.113.9" },
    { count: 2, ipAddress: "::ffff:203.0.113.9" },
  ]);
  assert.equal(
    users.map(({ user, eventCount, names }) => [user, eventCount, names?.email]),
    [
      ["id:7", 3, "bob@example.com"],
      ["ip:203.0.113.9", 2, ""],
      ["email:ann@example.com", 1, "Ann@Example.com"],
    ],
  );
  const last = users[2]?.lastSeenTime;
  assert.is(last && millisecondsOf(last as Parameters<typeof millisecondsOf>[0]), Date.UTC(2026, 0, 10, 11));
});

const hostile: [what: string, sent: Json][] = [
  [
    "other types",
    [{ key: {}, topValues: 7 }, { key: "a", totalValues: "x", topValues: [null, { value: [] }, 7] }, 3, null],
  ],
  [
    "keys that are no keys",
    [
      { key: "", topValues: [] },
      { key: "__proto__", totalValues: -1, topValues: [] },
    ],
  ],
  ["nothing", []],
];

for (const [what, sent] of hostile) {
  test(`${what} in place of tags are left out`, () => {
    const { tags, releases, countedEvents } = readIssueTags(sent);
    assert.ok(tags.every(({ values }) => values?.length === 0));
    assert.equal([releases, countedEvents], [[], 0]);
  });
}

test("a flood of keys and values is cut", () => {
  const topValues = Array.from({ length: 2_000 }, (_, n) => ({ value: `${n}${"v".repeat(5_000)}`, count: 1 }));
  const answer = readIssueTags(Array.from({ length: 10_000 }, (_, n) => ({ key: `k${n}`, totalValues: n, topValues })));
  assert.equal([answer.tags.length, answer.otherTagCount], [30, 70]);
  for (const { values } of answer.tags) {
    assert.is(values?.length, 10);
    assert.ok(values?.every(({ value }) => (value?.length ?? 0) <= 200));
  }
  assert.is(readIssueUsers(topValues).length, 100);
});

test.run();
