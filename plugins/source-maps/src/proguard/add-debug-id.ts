import type { Database } from "@faultline/plugin";
import { bytesOfDebugId } from "../events/artifacts.ts";
import type { Tables } from "../tables.ts";

/** Ids of a mapping, the newest. */
const mostIds = 100;

/** Gives a mapping one more id by which events name it, at once or when it is read. */
export async function addDebugId(
  database: Database,
  bundle: { readonly id: number; readonly project_id: number; readonly debug_ids: string },
  debugId: string,
): Promise<void> {
  const known = JSON.parse(bundle.debug_ids) as string[]; // as the plugin stored it
  if (known.includes(debugId)) return;
  const kept = [...known, debugId].slice(-mostIds);
  const debug_ids = JSON.stringify(kept);
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      // The row first: a mapping that is being stored locks it as well, so that one of the two sees what the other did.
      await transaction.updateTable("source_bundle").set({ debug_ids }).where("id", "=", bundle.id).execute();
      const artifact = await transaction
        .selectFrom("source_artifact")
        .select("id")
        .where("bundle_id", "=", bundle.id)
        .executeTakeFirst();
      if (!artifact) return;
      await transaction
        .insertInto("source_debug_id")
        .values({ project_id: bundle.project_id, debug_id: bytesOfDebugId(debugId), artifact_id: artifact.id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction
        .deleteFrom("source_debug_id")
        .where("artifact_id", "=", artifact.id)
        .where("debug_id", "not in", kept.map(bytesOfDebugId))
        .execute();
    });
}
