import type { Host } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import type { Tables } from "../tables.ts";

/** Bundles that are looked at, the newest. */
const bundlesLooked = 200;

/** A call that names several projects notes a bundle for each, one after the other, of the same chunks. */
const graceMs = 10_000;

/**
 * Deletes the chunks of bundles that were read, so that the room of a person for chunks is that of the bundles under way. Where a process
 * ends before it does so, they go with their age. A chunk that another bundle waits for stays.
 */
export class ReadChunks {
  #done: ReadonlySet<number> = new Set();

  async delete({ database, clock }: Host, signal: AbortSignal): Promise<void> {
    const newest = await database
      .read<Tables>()
      .selectFrom("source_bundle")
      .select(["id", "user_id", "state", "created_at"])
      .orderBy("id", "desc")
      .limit(bundlesLooked)
      .execute();
    const before = clock.now() - graceMs;
    const done = new Set(newest.map(({ id }) => Number(id)).filter((id) => this.#done.has(id)));
    this.#done = done;
    for (const { id, user_id, state, created_at } of newest) {
      if (signal.aborted) return;
      const isRead = state === ArtifactBundleState.OK && Number(created_at) < before;
      if (!isRead || done.has(Number(id))) continue;
      if (user_id !== null) await deleteChunks(database, { id, user_id });
      done.add(Number(id));
    }
  }
}

async function deleteChunks(
  database: Host["database"],
  { id, user_id }: { readonly id: number; readonly user_id: number },
): Promise<void> {
  const bundles = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["id", "chunks"])
    .where("user_id", "=", user_id)
    .where(({ eb, or }) => or([eb("id", "=", id), eb("state", "=", ArtifactBundleState.CREATED)]))
    .execute();
  const chunksOf = (wanted: boolean) =>
    bundles
      .filter((bundle) => (Number(bundle.id) === Number(id)) === wanted)
      .flatMap(({ chunks }) => JSON.parse(chunks) as string[]); // as the plugin stored it
  const awaited = new Set(chunksOf(false));
  const read = chunksOf(true).filter((sha1) => !awaited.has(sha1));
  if (read.length === 0) return;
  await database
    .write<Tables>()
    .deleteFrom("source_chunk")
    .where("user_id", "=", user_id)
    .where(
      "sha1",
      "in",
      read.map((sha1) => Buffer.from(sha1, "hex")),
    )
    .execute();
}
