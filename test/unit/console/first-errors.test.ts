import { test } from "uvu";
import * as assert from "uvu/assert";
import { firstErrors, type SortKey } from "../../../console/src/lib/errors/list-choices.ts";
import type { TrackedError } from "../../../console/src/lib/messages.ts";

const error = (projectId: number, errorId: string, eventCount: number, first: number, last: number) =>
  ({
    projectId,
    errorId,
    eventCount,
    firstSeenTime: new Date(first * 1000).toISOString(),
    lastSeenTime: new Date(last * 1000).toISOString(),
  }) as TrackedError;

const errors = [
  error(1, "9", 5, 10, 90),
  error(1, "10", 7, 20, 80),
  error(2, "9", 5, 30, 70),
  error(2, "11", 5, 40, 90),
];

const orders: [sort: SortKey, keys: string[]][] = [
  ["last_seen", ["2/11", "1/9", "1/10", "2/9"]],
  ["first_seen", ["2/11", "2/9", "1/10", "1/9"]],
  ["events", ["1/10", "2/11", "2/9", "1/9"]],
];
for (const [sort, keys] of orders) {
  test(`errors of several projects come in the order ${sort}, ties by the larger id`, () => {
    const sorted = firstErrors(errors, sort, 10).map(({ projectId, errorId }) => `${projectId}/${errorId}`);
    assert.equal(sorted, keys);
    assert.equal(firstErrors(errors.toReversed(), sort, 2), firstErrors(errors, sort, 10).slice(0, 2));
  });
}

test.run();
