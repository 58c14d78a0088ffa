import type { Host } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import type { Tables } from "../tables.ts";
import { deleteChunks } from "../uploads/stored-chunks.ts";

/** Bundles whose chunks are deleted in one run. */
const bundlesAtOnce = 20;

/** A call that names several projects notes a bundle for each, one after the other, of the same chunks. */
const graceMs = 10_000;

/**
 * Deletes the chunks of bundles that were read, so that the room of a person for chunks is that of the bundles under way. A chunk that
 * another bundle waits for stays. The bundle forgets their names, which take up to 22 kB.
 */
export async function deleteReadChunks({ database, clock }: Host, signal: AbortSignal): Promise<void> {
  const read = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["id", "user_id", "chunks"])
    .where("state", "=", ArtifactBundleState.OK)
    .where("chunks", "<>", "[]")
    .where("created_at", "<", clock.now() - graceMs)
    .limit(bundlesAtOnce)
    .execute();
  for (const { id, user_id, chunks } of read) {
    if (signal.aborted) return;
    if (user_id !== null) {
      const awaited = await awaitedChunks(database, user_id);
      const unneeded = chunkNames(chunks).filter((sha1) => !awaited.has(sha1));
      await deleteChunks(database, user_id, { sha1s: unneeded.map((sha1) => Buffer.from(sha1, "hex")), signal });
    }
    await database.write<Tables>().updateTable("source_bundle").set({ chunks: "[]" }).where("id", "=", id).execute();
  }
}

/** The chunks of bundles of a user that are not read yet. */
async function awaitedChunks(database: Host["database"], userId: number): Promise<ReadonlySet<string>> {
  const waiting = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select("chunks")
    .where("user_id", "=", userId)
    .where("state", "=", ArtifactBundleState.CREATED)
    .execute();
  return new Set(waiting.flatMap(({ chunks }) => chunkNames(chunks)));
}

const chunkNames = (chunks: string) => JSON.parse(chunks) as string[]; // as the plugin stored it
