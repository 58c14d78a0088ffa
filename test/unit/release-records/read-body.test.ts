import { millisecondsOf } from "@faultline/plugin";
import { create } from "@bufbuild/protobuf";
import { CommitSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readCommits } from "../../../plugins/release-records/src/records/commits.ts";
import { readEnvironment, readUrl, readVersion } from "../../../plugins/release-records/src/records/read-fields.ts";
import { commitsOf, timeOf } from "../../../plugins/release-records/src/sentry/routes.ts";

test("commits are read as sentry-cli sends them", () => {
  const [commit] = commitsOf({
    commits: [
      {
        id: "9618566db5aea5fe7f95a3111ffc332e2c98da23",
        repository: "acme/web",
        author_name: "Ada",
        author_email: "ada@example.com",
        timestamp: "2026-11-26T05:58:56+01:00",
        message: "Move\n",
        patch_set: [{ path: "src/f1.js", type: "D" }, { path: "src/f9.js", type: "A" }, "no change"],
      },
    ],
  }) ?? [undefined];
  assert.equal(commit && { ...commit, committedTime: undefined }, {
    commitId: "9618566db5aea5fe7f95a3111ffc332e2c98da23",
    repository: "acme/web",
    message: "Move\n",
    authorName: "Ada",
    authorEmail: "ada@example.com",
    committedTime: undefined,
    paths: ["src/f1.js", "src/f9.js"],
    pathCount: 2,
  });
  assert.is(
    millisecondsOf(
      create(CommitSchema, commit).committedTime ?? { seconds: 0n, nanos: 0, $typeName: "google.protobuf.Timestamp" },
    ),
    Date.UTC(2026, 10, 26, 4, 58, 56),
  );
});

const sets: [name: string, body: Record<string, unknown>, ids: string[] | undefined][] = [
  ["no commits at all", { version: "v1" }, undefined],
  ["no list", { commits: "9618566", refs: {} }, undefined],
  ["references", { refs: [{ repository: "acme/web", commit: "9618566", previousCommit: null }, 7] }, ["9618566"]],
  ["no reference, which clears them", { refs: [] }, []],
  ["both, of which the commits count", { commits: [{ id: "a" }], refs: [{ commit: "b" }] }, ["a"]],
];

for (const [name, body, ids] of sets) {
  test(`a body with ${name} sets ${ids === undefined ? "nothing" : ids.join() || "an empty list"}`, () =>
    assert.equal(
      commitsOf(body)?.map(({ commitId }) => commitId),
      ids,
    ));
}

test("a time that is none is refused, and a missing one is none", () => {
  assert.is(timeOf("dateReleased", null), undefined);
  assert.throws(() => timeOf("dateReleased", "tomorrow"), /dateReleased/);
});

test("texts and lists of commits are cut to what is kept", () => {
  const paths = Array.from({ length: 300 }, (_, n) => `src/${n}.js`);
  const sent = Array.from({ length: 1_001 }, (_, n) =>
    create(CommitSchema, { commitId: `${n}`, message: "m".repeat(2_000), paths, authorName: "\0A" }),
  );
  const read = readCommits(sent);
  const [first] = read;
  assert.is(read.length, 1_000);
  assert.is(first?.message.length, 1_000);
  assert.is(first?.author_name, "A");
  assert.is(first?.path_count, 300);
  const kept = read.map(({ paths: json }) => (JSON.parse(json) as string[]).length);
  assert.is(kept[0], 200);
  assert.is(
    kept.reduce((sum, count) => sum + count, 0),
    10_000,
  );
});

const refused: [name: string, run: () => unknown][] = [
  ["no version", () => readVersion("  ")],
  ["a version of 201 characters", () => readVersion("v".repeat(201))],
  ["a version of two lines", () => readVersion("v1\nv2")],
  ["no environment", () => readEnvironment("")],
  ["an address that is a script", () => readUrl("javascript:alert(1)")],
  ["an address with a space", () => readUrl("https://a.example.com/ b")],
  ["a commit without an id", () => readCommits([create(CommitSchema, { message: "m" })])],
  ["a commit whose id has a space", () => readCommits([create(CommitSchema, { commitId: "a b" })])],
  [
    "a commit of the year 10000",
    () => readCommits([create(CommitSchema, { commitId: "a", committedTime: { seconds: 253402300800n, nanos: 0 } })]),
  ],
];

for (const [name, run] of refused) test(`${name} is refused`, () => assert.throws(run));

test.run();
