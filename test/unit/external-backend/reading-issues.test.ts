import { create, toJson } from "@bufbuild/protobuf";
import type { JsonObject } from "@faultline/sentry-event";
import { ErrorSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readIssue, readIssues } from "../../../plugins/external-backend/src/reading/index.ts";
import {
  contextOf,
  daySeries,
  faultlineIssue,
  issue2021,
  issue2024,
  issueDetails2021,
  now,
  release,
} from "../../support/external/sentry-answers.ts";

const issues = suite("issues");

/** An issue of the list, as JSON of our message. */
function listed(issue: JsonObject, link = {}) {
  const [error] = readIssues([issue], contextOf(link));
  return toJson(ErrorSchema, create(ErrorSchema, error));
}

function single(issue: JsonObject) {
  return toJson(ErrorSchema, create(ErrorSchema, readIssue(issue, contextOf()).error));
}

issues("an issue of 21.5 is read whole", () => {
  const counts = Array.from({ length: 24 }, () => 0);
  counts[20] = 5;
  counts[19] = 12;
  assert.equal(listed(issue2021()), {
    errorId: "1001",
    projectId: 42,
    title: "TypeError: x is not a function",
    type: "TypeError",
    value: "x is not a function",
    culprit: "app/components/cart in checkout",
    level: "error",
    platform: "javascript",
    status: "ERROR_STATUS_UNRESOLVED",
    eventCount: 17,
    affectedUserCount: 3,
    firstSeenTime: "2026-11-20T08:00:00Z",
    lastSeenTime: "2026-11-21T09:15:30.123Z",
    settledLastSeenTime: "2026-11-21T09:15:30.123Z",
    hourlyCounts: counts,
    hourlyCountsStartTime: "2026-11-20T13:00:00Z",
    shortId: "WEB-R9",
    externalUrl: "https://sentry.example.com/organizations/acme/issues/1001/",
  });
});

issues("the commit of a release is the one that the system knows, else the one that its version names", () => {
  const sha = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";
  const commitOf = (fields: JsonObject, version = "web@1.0") => {
    const firstRelease = { ...release(version), ...fields };
    const { firstCommit, lastCommit } = single(issueDetails2021({ firstRelease, lastRelease: release(version) }));
    return [firstCommit, lastCommit];
  };
  assert.equal(commitOf({}), [undefined, undefined]);
  assert.equal(commitOf({}, `web@1.0+${sha}`), [sha, sha]);
  assert.equal(commitOf({ lastCommit: { id: sha.toUpperCase() } }), [sha, undefined]);
  assert.equal(commitOf({ lastCommit: { id: "1234567" } }, `web@${sha}`), ["1234567", sha]);
  for (const id of ["", "javascript:alert(1)", "../8f14e45", `${sha}/`, "f".repeat(65), 8, null, { id: sha }, "v1.0"]) {
    assert.equal(commitOf({ lastCommit: { id } }), [undefined, undefined], JSON.stringify(id));
  }
  for (const lastCommit of [sha, 1, true, [sha]]) assert.equal(commitOf({ lastCommit }), [undefined, undefined]);
});

issues("an issue by itself has its releases, whole and not short, and no trend", () => {
  const error = single(issueDetails2021());
  assert.is(error.firstRelease, "web@1.0.0+build.7");
  assert.is(error.lastRelease, "web@1.2.0");
  assert.is(error.hourlyCounts, undefined);
  assert.is(error.hourlyCountsStartTime, undefined);
  assert.is(readIssue(issueDetails2021(), contextOf()).externalProjectId, "7");
  assert.is(readIssue({ ...issueDetails2021(), project: null }, contextOf()).externalProjectId, "");
});

issues("an archived message of 24 is ignored, has no type, and its value is its title", () => {
  const error = listed(issue2024());
  assert.is(error.status, "ERROR_STATUS_IGNORED");
  assert.is(error.type, undefined);
  assert.is(error.value, "Payment refused");
  assert.is(error.level, "warning");
  assert.is(error.eventCount, 1_234_567);
  assert.is(error.affectedUserCount, undefined);
  assert.is(error.externalUrl, "https://acme.sentry.example.com/issues/1001/");
});

issues("what a list of a window says of all time wins", () => {
  const lifetime = { count: "900", userCount: 8, firstSeen: "2026-01-01T00:00:00Z", lastSeen: null };
  const error = listed(issue2024({ count: "2", userCount: 1, lifetime }));
  assert.equal(
    [error.eventCount, error.affectedUserCount, error.firstSeenTime, error.lastSeenTime],
    [900, 8, "2026-01-01T00:00:00Z", "2026-11-21T09:15:30.123Z"],
  );
  assert.is(listed(issue2024({ lifetime: null })).eventCount, 1_234_567);
});

issues("another Faultline reports when its error settled and came back", () => {
  const error = single(faultlineIssue());
  assert.is(error.settledLastSeenTime, "2026-11-21T09:15:30.123Z");
  assert.is(error.reopenedTime, "2026-11-21T08:00:00Z");
  assert.is(single({ ...faultlineIssue(), status: "ignored" }).reopenedTime, undefined);
  const settledLastSeen = "2026-11-21T12:10:00Z"; // not before the running hour
  assert.is(
    single({ ...faultlineIssue(), faultline: { settledLastSeen } }).settledLastSeenTime,
    "2026-11-21T09:00:00Z",
  );
});

issues("an issue of Sentry that came back did so with its newest event, as Sentry states nothing else", () => {
  assert.is(listed(issue2021({ substatus: "regressed" })).reopenedTime, "2026-11-21T09:15:30.123Z");
  assert.is(listed(issue2021({ substatus: "ongoing" })).reopenedTime, undefined);
  assert.is(listed(issue2021({ substatus: "regressed", status: "resolved" })).reopenedTime, undefined);
});

const statuses = [
  ["unresolved", "ERROR_STATUS_UNRESOLVED"],
  ["resolved", "ERROR_STATUS_RESOLVED"],
  ["resolvedInNextRelease", "ERROR_STATUS_RESOLVED"],
  ["ignored", "ERROR_STATUS_IGNORED"],
  ["muted", "ERROR_STATUS_IGNORED"],
  ["reprocessing", "ERROR_STATUS_UNRESOLVED"],
  ["pending_merge", "ERROR_STATUS_UNRESOLVED"],
  [1, "ERROR_STATUS_UNRESOLVED"],
] as const;

for (const [status, expected] of statuses) {
  issues(`the status ${status} is ${expected}`, () => assert.is(listed(issue2021({ status })).status, expected));
}

const levels = [
  ["sample", "error"],
  ["debug", "debug"],
  ["info", "info"],
  ["warning", "warning"],
  ["error", "error"],
  ["fatal", "fatal"],
  ["unknown", "error"],
  [40, "error"],
  [null, "error"],
] as const;

for (const [level, expected] of levels) {
  issues(`the level ${level} is ${expected}`, () => assert.is(listed(issue2021({ level })).level, expected));
}

const counts = [
  ["17", 17],
  [17, 17],
  ["0", undefined],
  ["4294967295", 4_294_967_295],
  ["4294967296", 4_294_967_295],
  [1e300, 4_294_967_295],
  [3.9, 3],
  [-1, undefined],
  ["-1", undefined],
  ["1e9", undefined],
  ["0x10", undefined],
  [" 17", undefined],
  ["١٧", undefined],
  [true, undefined],
  [["17"], undefined],
  [{ valueOf: 17 }, undefined],
  [null, undefined],
] as const;

for (const [count, expected] of counts) {
  issues(`the count ${JSON.stringify(count)} is ${expected ?? 0}`, () => {
    const error = listed(issue2021({ count: count as never, userCount: count as never }));
    assert.is(error.eventCount, expected);
    assert.is(error.affectedUserCount, expected);
  });
}

const times = [
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z"],
  ["2026-11-20T08:00:00.123456Z", "2026-11-20T08:00:00.123Z"],
  ["2026-11-20T08:00:00+00:00", "2026-11-20T08:00:00Z"],
  ["2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00Z"],
  // A value that is not a time in these years counts as missing, and the other value replaces it.
  ["1999-12-31T23:59:59Z", "2026-11-21T09:15:30.123Z"],
  ["2100-01-01T00:00:00Z", "2026-11-21T09:15:30.123Z"],
  ["9999-12-31T23:59:59Z", "2026-11-21T09:15:30.123Z"],
  ["+275760-09-13T00:00:00Z", "2026-11-21T09:15:30.123Z"],
  ["2026-13-45T99:00:00Z", "2026-11-21T09:15:30.123Z"],
  ["yesterday", "2026-11-21T09:15:30.123Z"],
  ["1763712000", "2026-11-21T09:15:30.123Z"],
  [1_763_712_000, "2026-11-21T09:15:30.123Z"],
  [null, "2026-11-21T09:15:30.123Z"],
  [["2026-11-20T08:00:00Z"], "2026-11-21T09:15:30.123Z"],
] as const;

for (const [firstSeen, expected] of times) {
  issues(`first seen ${JSON.stringify(firstSeen)} is ${expected}`, () => {
    assert.is(listed(issue2021({ firstSeen: firstSeen as never })).firstSeenTime, expected);
  });
}

issues("an error that was seen in the running hour is labelled by the last hour before that had events", () => {
  const firstSeen = "2026-10-01T00:00:00Z";
  const lastSeen = "2026-11-21T12:29:00Z";
  const settled = (fields: JsonObject) => listed(issue2021({ firstSeen, lastSeen, ...fields })).settledLastSeenTime;
  assert.is(settled({ stats: { "24h": daySeries({ 0: 4, 2: 1, 9: 8 }) } }), "2026-11-21T10:00:00Z");
  assert.is(
    settled({ stats: { "24h": daySeries({ 2: 1 }) }, firstSeen: "2026-11-21T10:40:00Z" }),
    "2026-11-21T10:40:00Z",
  );
  assert.is(settled({ stats: { "24h": daySeries({ 0: 4 }) } }), undefined);
  assert.is(settled({ stats: {} }), undefined);
  assert.is(settled({ firstSeen: "2026-11-21T12:01:00Z" }), undefined);
});

const trends = [
  ["24 hours", daySeries({ 0: 1, 23: 2 }), { 23: 1, 0: 2 }],
  ["25 hours", daySeries({ 0: 1, 23: 2, 24: 9 }, 25), { 23: 1, 0: 2 }],
  [
    "half hours",
    [0, 30, 60].map((minutes) => [now / 1000 - ((now / 1000) % 3600) - minutes * 60, 2]),
    { 23: 2, 22: 4 },
  ],
  ["counts as text", [[Math.floor(now / 1000), "7"]], { 23: 7 }],
  ["none", [], {}],
  ["null", null, {}],
  ["an object", { 0: 1 }, {}],
  ["a text", "24", {}],
  ["times of the future", [[now / 1000 + 7200, 5]], {}],
  [
    "times without end",
    [
      [1e300, 5],
      [-1e300, 5],
      [0, 5],
    ],
    {},
  ],
  ["pairs that are none", [null, 1, "x", [], [null, 5], ["1", 5], {}, [Math.floor(now / 1000), null]], {}],
  ["negative counts", [[Math.floor(now / 1000), -5]], {}],
] as const;

for (const [name, series, expected] of trends) {
  issues(`the trend of ${name} is 24 hours`, () => {
    const all = Array.from({ length: 24 }, (_, hour) => (expected as Record<number, number>)[hour] ?? 0);
    const [error] = readIssues([issue2021({ stats: { "24h": series as never } })], contextOf());
    assert.equal(error?.hourlyCounts, all);
  });
}

issues("the trend is dense where the issue has none", () => {
  for (const stats of [undefined, null, 1, "x", [], {}, { "14d": daySeries({ 0: 1 }) }]) {
    const [error] = readIssues([issue2021({ stats: stats as never })], contextOf());
    assert.equal(
      error?.hourlyCounts,
      Array.from({ length: 24 }, () => 0),
    );
  }
});

const own = "https://sentry.example.com/organizations/acme/issues/1001/";
const links = [
  [own, own],
  ["https://sentry.example.com/acme/web/issues/1001/", "https://sentry.example.com/acme/web/issues/1001/"],
  ["https://acme.sentry.example.com/issues/1001/?a=b#c", "https://acme.sentry.example.com/issues/1001/?a=b#c"],
  ["http://sentry.example.com:9000/acme/", "http://sentry.example.com:9000/acme/"],
  ["HTTPS://SENTRY.example.com/x", "https://sentry.example.com/x"],
  ["https://sentry.example.com.evil.example/", own],
  ["https://evil.example/sentry.example.com", own],
  ["https://evilsentry.example.com/", own],
  ["https://sentry.example.com@evil.example/", own],
  ["https://user:pass@sentry.example.com/", own],
  ["https://evil.example\\@sentry.example.com/", own],
  ["https:\\\\sentry.example.com/", own],
  ["//sentry.example.com/x", own],
  ["javascript:alert(1)//sentry.example.com", own],
  ["javascript://sentry.example.com/%0aalert(1)", own],
  ["\u0001javascript:alert(1)", own],
  ["data:text/html,x", own],
  ['https://sentry.example.com/" onmouseover="alert(1)', own],
  ["https://sentry.example.com/\u202egpj", own],
  ["https://sentry.example.com/\njavascript:alert(1)", own],
  ["https://sentry.example.com/<script>", own],
  ["https://sentry.example.com./x", own],
  ["https://[::1]/", own],
  [`https://sentry.example.com/${"x".repeat(3000)}`, own],
  ["", own],
  ["https://", own],
  [null, own],
  [7, own],
  [{ href: own }, own],
] as const;

for (const [permalink, expected] of links) {
  issues(`the page of ${JSON.stringify(permalink)?.slice(0, 80)} is ${expected}`, () => {
    assert.is(listed(issue2021({ permalink: permalink as never })).externalUrl, expected);
  });
}

issues("the page that is built keeps the base path, and its organization cannot lead elsewhere", () => {
  const project = { id: "7", slug: "web", organizationSlug: "../a b?" };
  assert.is(
    listed(issue2021({ permalink: null }), { apiUrl: "http://10.0.0.7:9000/sentry", project }).externalUrl,
    "http://10.0.0.7:9000/sentry/organizations/..%2Fa%20b%3F/issues/1001/",
  );
  assert.is(
    listed(issue2021({ permalink: "http://1.10.0.0.7/" }), { apiUrl: "http://10.0.0.7:9000" }).externalUrl,
    "http://10.0.0.7:9000/organizations/acme/issues/1001/",
  );
});

const ids = ["", "x", "1/../2", "../../etc", "1 ", "-1", "+1", "1.5", "0x1", "１", "1\n", "9".repeat(21), "1%2f", null];

for (const id of ids) {
  issues(`the id ${JSON.stringify(id)} is refused without being shown`, () => {
    const message = refusal(() => readIssue(issue2021({ id }), contextOf()));
    assert.ok(recorded.includes(message), message);
    assert.equal(readIssues([issue2021({ id }), issue2021({ id: "5" })], contextOf()).length, 1);
  });
}

const recorded = [
  'Sentry API response contains invalid value for field "id": it is not numeric',
  "Sentry API response is missing keys. Required and not found: id.",
];

issues("an id may be a number, but only where it is exact", () => {
  assert.is(listed(issue2021({ id: 1001 })).errorId, "1001");
  assert.is(
    refusal(() => readIssue(issue2021({ id: 2 ** 53 }), contextOf())),
    recorded[0],
  );
  assert.is(
    refusal(() => readIssue(issue2021({ id: 1.5 }), contextOf())),
    recorded[0],
  );
});

issues("of 1,000 issues 100 are read", () => {
  const many = Array.from({ length: 1000 }, (_, index) => issue2021({ id: String(index + 1) }));
  assert.is(readIssues(many, contextOf()).length, 100);
});

issues("issues that cannot be read are left out; when none can, the answer is refused", () => {
  const bad = [null, 1, "x", [], {}, { id: "1" }, issue2021({ id: "x" }), issue2021({ firstSeen: 1, lastSeen: null })];
  assert.equal(
    readIssues([...bad, issue2021()], contextOf()).map(({ errorId }) => errorId),
    ["1001"],
  );
  for (const sent of bad) {
    assert.match(
      refusal(() => readIssues([sent], contextOf())),
      /^Sentry API response (is missing keys|contains inv)/,
    );
  }
  assert.equal(readIssues([], contextOf()), []);
});

issues("an issue of another project is no part of the list", () => {
  const other = issue2021({ id: "6", project: { id: "8", name: "Api", slug: "api" } });
  assert.equal(
    readIssues([other, issue2021()], contextOf()).map(({ errorId }) => errorId),
    ["1001"],
  );
  assert.equal(readIssues([other], contextOf()), []);
  assert.is(readIssues([other], contextOf({ project: { id: "", slug: "web", organizationSlug: "acme" } })).length, 1);
  assert.is(readIssue(other, contextOf()).externalProjectId, "8");
});

issues("what is no list is no list of issues, and what is no object no issue", () => {
  for (const json of [null, 1, "<html>", {}, { detail: "x" }]) {
    assert.match(
      refusal(() => readIssues(json, contextOf())),
      /^Sentry API response is missing keys\. /,
    );
  }
  for (const json of [null, 1, "<html>", []]) {
    assert.match(
      refusal(() => readIssue(json, contextOf())),
      /^Sentry API response is missing keys\. /,
    );
  }
});

issues("an issue without a title is an unlabeled event, and what is too long is cut", () => {
  assert.is(listed(issue2021({ title: null })).title, "<unlabeled event>");
  const error = listed(
    issue2021({
      title: "t".repeat(5000),
      culprit: "c".repeat(5000),
      platform: "p".repeat(5000),
      metadata: { type: "y".repeat(5000), value: "v".repeat(5000) },
      firstRelease: release("r".repeat(5000)),
    }),
  );
  assert.equal(
    [error.title, error.culprit, error.platform, error.type, error.value, error.firstRelease].map(
      (text) => text?.length,
    ),
    [256, 200, 64, 256, 1024, 200],
  );
});

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.is((error as Error).name, "InvalidAnswer");
    return (error as Error).message;
  }
  return assert.unreachable("nothing was refused") as never;
}

issues.run();
