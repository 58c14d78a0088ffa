import type { ErrorTransition } from "@faultline/plugin";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Deletes the entries of errors that were deleted, and what people set for those that are gone for good. */
export async function forgetErrors(tables: Kysely<Tables>, transitions: readonly ErrorTransition[]): Promise<void> {
  const gone = transitions.filter(({ kind }) => kind === "deleted" || kind === "erased");
  for (const [projectId, of] of Map.groupBy(gone, ({ projectId: id }) => id)) {
    const ids = (some: readonly ErrorTransition[]) => some.map(({ errorId }) => errorId);
    await tables
      .deleteFrom("notifier_inbox")
      .where("project_id", "=", projectId)
      .where("error_id", "in", ids(of))
      .execute();
    const erased = ids(of.filter(({ kind }) => kind === "erased"));
    if (erased.length === 0) continue;
    await tables
      .deleteFrom("notifier_subscription")
      .where("project_id", "=", projectId)
      .where("error_id", "in", erased)
      .execute();
  }
}
