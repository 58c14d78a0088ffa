import type { Host } from "@faultline/plugin";
import type { Tables } from "../tables.ts";
import type { InboxChanges } from "./inbox-changes.ts";

/** Wakes, in this process, those who watch an inbox with entries that quiet hours held back until now. */
export function showDueEntries({ database, clock }: Host, changes: InboxChanges): () => Promise<void> {
  let shownUntil = clock.now();
  return async () => {
    const [since, now] = [shownUntil, clock.now()];
    shownUntil = now;
    const watching = changes.watching;
    if (watching.length === 0) return;
    const due = await database
      .read<Tables>()
      .selectFrom("notifier_inbox")
      .select("user_id")
      .distinct()
      .where("due_at", ">", since)
      .where("due_at", "<=", now)
      .where("user_id", "in", watching)
      .execute();
    changes.wakeHere(due.map((row) => row.user_id));
  };
}
