import { test } from "uvu";
import * as assert from "uvu/assert";
import { activityWords } from "../../../plugins/activity/src/console/activity-words.ts";
import type { ActivityEntry } from "../../../console/src/lib/messages.ts";

const entry = (given: Partial<ActivityEntry>): ActivityEntry => ({
  kind: "ACTIVITY_KIND_STATUS_CHANGED",
  actor: "",
  statusBefore: "ERROR_STATUS_UNSPECIFIED",
  status: "ERROR_STATUS_UNSPECIFIED",
  release: "",
  text: "",
  ...given,
});

const cases: [given: Partial<ActivityEntry>, words: string][] = [
  [{ kind: "ACTIVITY_KIND_CREATED", release: "1.4.0" }, "First seen in 1.4.0"],
  [{ kind: "ACTIVITY_KIND_CREATED" }, "First seen"],
  [{ kind: "ACTIVITY_KIND_REOPENED", release: "1.4.1" }, "Came back in 1.4.1"],
  [{ status: "ERROR_STATUS_RESOLVED", actor: "anna" }, "Resolved by anna"],
  [{ status: "ERROR_STATUS_IGNORED" }, "Ignored"],
  [{ status: "ERROR_STATUS_UNRESOLVED", actor: "plugin:tracker" }, "Reopened by the plugin tracker"],
  [{ kind: "ACTIVITY_KIND_DELETED", actor: "anna" }, "Deleted by anna"],
  [{ kind: "ACTIVITY_KIND_RESTORED", actor: "ben" }, "Restored by ben"],
  [{ kind: "ACTIVITY_KIND_OTHER", text: "Commented", actor: "anna" }, "Commented by anna"],
];

for (const [given, words] of cases) test(words, () => assert.is(activityWords(entry(given)), words));

test.run();
