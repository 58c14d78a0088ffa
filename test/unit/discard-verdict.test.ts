import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isAtOrAfter } from "@faultline/plugin/search";
import { verdict, type RunningDiscard } from "../../plugins/integrated-backend/src/deletions/discards.ts";

const releases = suite("releases that end a discard");

const table: readonly [release: string, end: string, ends: boolean][] = [
  ["web@1.2.3", "web@1.2.3", true],
  ["web@1.2.4", "web@1.2.3", true],
  ["web@1.10.0", "web@1.9.9", true],
  ["web@2.0.0", "web@1.9.9", true],
  ["web@1.2.2", "web@1.2.3", false],
  ["api@9.0.0", "web@1.2.3", false],
  ["1.2.4", "1.2.3", true],
  ["v1.2.4", "1.2.3", true],
  ["1.2.4", "web@1.2.3", false],
  ["web@1.2.3-beta.1", "web@1.2.3", false],
  ["web@1.2.3", "web@1.2.3-beta.1", true],
  ["web@1.2.3-beta.11", "web@1.2.3-beta.2", true],
  ["web@1.2.3-rc", "web@1.2.3-beta", true],
  ["web@1.2.3-beta.1", "web@1.2.3-beta", true],
  ["web@1.2.3-beta", "web@1.2.3-1", true],
  ["web@1.2.3+build.7", "web@1.2.3", false],
  ["web@1.2.3+build.7", "web@1.2.3+build.7", true],
  ["@acme/web@1.3.0", "@acme/web@1.2.3", true],
  ["2b0f1c9", "2b0f1c9", true],
  ["9b0f1c9", "2b0f1c9", false],
  ["web@next", "web@1.0.0", false],
];
for (const [release, end, ends] of table) {
  releases(`${release} ${ends ? "ends" : "does not end"} a discard until ${end}`, () => {
    assert.is(isAtOrAfter(release, end), ends);
  });
}

const verdicts = suite("verdicts about discarded events");
const forever: RunningDiscard = { endsAt: null, endsAfter: null, endsWithRelease: "" };
const event = { release: "web@1.0.0", now: 1_000, stopped: 5 };

verdicts("a discard without an end stops everything", () => {
  assert.is(verdict(forever, { ...event, now: 1e15, stopped: 1e9 }), "stopped");
});
verdicts("it ends at its time", () => {
  assert.is(verdict({ ...forever, endsAt: 1_001 }, event), "stopped");
  assert.is(verdict({ ...forever, endsAt: 1_000 }, event), "over");
});
verdicts("it ends after its count", () => {
  assert.is(verdict({ ...forever, endsAfter: 6 }, event), "stopped");
  assert.is(verdict({ ...forever, endsAfter: 5 }, event), "over");
});
verdicts("it ends with its release, and an event without one is stopped", () => {
  assert.is(verdict({ ...forever, endsWithRelease: "web@1.0.0" }, event), "over");
  assert.is(verdict({ ...forever, endsWithRelease: "web@1.0.1" }, event), "stopped");
  assert.is(verdict({ ...forever, endsWithRelease: "web@1.0.0" }, { ...event, release: "" }), "stopped");
});

releases.run();
verdicts.run();
