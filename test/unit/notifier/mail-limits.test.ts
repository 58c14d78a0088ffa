import { test } from "uvu";
import * as assert from "uvu/assert";
import { mailCounts } from "../../../plugins/notifier/src/mail/mail-limits.ts";

/** How many of 60 mails of a project, each to another person, may be sent. */
const sentBy = (counts: ReturnType<typeof mailCounts>, projectId: number) =>
  Array.from({ length: 60 }, (_, n) => counts.spend({ userId: 100 * projectId + n, projectId })).filter(Boolean).length;

test("projects share the mails of an hour by halves of what others left, and the last one is for one without any", () => {
  const counts = mailCounts([]);
  assert.equal(
    [1, 2, 3, 4, 5, 6, 7, 1].map((projectId) => sentBy(counts, projectId)),
    [30, 15, 8, 4, 2, 1, 0, 0],
  );
});

test("mails that were sent before count for their projects and people", () => {
  const counts = mailCounts(Array.from({ length: 29 }, () => ({ user_id: 1, project_id: 1 })));
  assert.is(sentBy(counts, 1), 1);
  assert.not(counts.spend({ userId: 1, projectId: 2 }), "the person had 20");
  assert.is(sentBy(counts, 2), 15);
});

test.run();
