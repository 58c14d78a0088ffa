import type { InboxEntry } from "../messages.ts";
import { counted } from "../number-format.ts";

type Change = Pick<InboxEntry, "trigger" | "status" | "madeBy">;

/** What happened, in words. */
export function changeWords({ trigger, status, madeBy }: Change): string {
  if (trigger === "NOTIFICATION_TRIGGER_CREATED") return "New error";
  if (trigger === "NOTIFICATION_TRIGGER_REOPENED") return "Back after it was resolved";
  const by = madeBy === "" ? "" : ` by ${madeBy}`;
  if (status === "ERROR_STATUS_RESOLVED") return `Resolved${by}`;
  return status === "ERROR_STATUS_IGNORED" ? `Ignored${by}` : `Reopened${by}`;
}

/** What an entry that gathers changes stands for: `37 more changes`, with the number of each kind. */
export function gatheredWords({ gathered }: Pick<InboxEntry, "gathered">): { all: string; each: string } {
  const all = gathered.reduce((sum, { count }) => sum + count, 0);
  const each = gathered.map(({ trigger, count }) => {
    if (trigger === "NOTIFICATION_TRIGGER_CREATED") return counted(count, "new error");
    if (trigger === "NOTIFICATION_TRIGGER_REOPENED") return `${count} came back`;
    return counted(count, "status change");
  });
  return { all: counted(all, "more change"), each: each.join(", ") };
}
