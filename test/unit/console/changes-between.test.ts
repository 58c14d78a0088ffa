import { suite } from "uvu";
import * as assert from "uvu/assert";
import { changesBetween } from "../../../console/src/routes/[...project]/-/error_tracking/changes-between.ts";
import type { TrackedError } from "../../../console/src/lib/messages.ts";

const changes = suite("changes between two readings of a list");

const error = (errorId: string, eventCount = 1, status: TrackedError["status"] = "ERROR_STATUS_UNRESOLVED") =>
  ({ errorId, eventCount, status }) as TrackedError; // the rest is not looked at

const changesOf = (shown: TrackedError[], now: TrackedError[]) => {
  const { errors, more } = changesBetween(shown, now);
  return { ids: errors.map(({ errorId }) => errorId), more };
};

const cases: [what: string, shown: TrackedError[], now: TrackedError[], ids: string[], more: boolean][] = [
  ["the same list is no change", [error("1"), error("2")], [error("1"), error("2")], [], false],
  ["another order alone is no change", [error("1"), error("2")], [error("2"), error("1")], [], false],
  ["more events are reported", [error("1"), error("2")], [error("1", 5), error("2")], ["1"], false],
  ["another status is reported", [error("1")], [error("1", 1, "ERROR_STATUS_IGNORED")], ["1"], false],
  ["an error that is not shown is reported", [error("1")], [error("3"), error("1")], ["3"], false],
  ["an error that left is a change that cannot be named", [error("1"), error("2")], [error("1")], [], true],
  ["a list that was empty", [], [error("1")], ["1"], false],
  ["a list that became empty", [error("1")], [], [], true],
];

for (const [what, shown, now, ids, more] of cases) {
  changes(what, () => assert.equal(changesOf(shown, now), { ids, more }));
}

changes.run();
