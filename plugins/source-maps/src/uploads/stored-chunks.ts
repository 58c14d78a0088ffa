import { ServiceError, type Database } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { SelectQueryBuilder, Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";

/** Chunks that a transaction deletes, up to 10 MiB: storing waits only for some milliseconds. */
const deletedAtOnce = 20;

export interface NewChunk {
  readonly userId: number;
  readonly sha1: Buffer;
  readonly content: Uint8Array;
  readonly createdAt: number;
}

/** Stores a chunk; the same one again only gets younger. Refuses with LIMIT_REACHED what is too much for its user. */
export async function storeChunk(
  database: Database,
  { userId, sha1, content, createdAt: created_at }: NewChunk,
): Promise<void> {
  const size = content.length;
  await inSum(database, userId, async (transaction, { bytes, chunk_count }) => {
    const { numUpdatedRows } = await transaction
      .updateTable("source_chunk")
      .set({ created_at })
      .where("user_id", "=", userId)
      .where("sha1", "=", sha1)
      .executeTakeFirst();
    if (numUpdatedRows > 0) return;
    const { chunksOfUser, chunkCountOfUser } = uploadLimits;
    if (Number(bytes) + size > chunksOfUser) throw tooMany(`${chunksOfUser / 1024 ** 2} MiB`);
    if (Number(chunk_count) >= chunkCountOfUser) throw tooMany(chunkCountOfUser.toLocaleString("en-US"));
    await transaction
      .insertInto("source_chunk")
      .values({ user_id: userId, sha1, size, created_at, content: Buffer.from(content) })
      .execute();
    await transaction
      .updateTable("source_chunk_sum")
      .set(({ eb }) => ({ bytes: eb("bytes", "+", size), chunk_count: eb("chunk_count", "+", 1) }))
      .where("user_id", "=", userId)
      .execute();
  });
}

const tooMany = (much: string) =>
  new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `${much} of your chunks are already waiting for their bundles. They are deleted once their bundle is read, or after a day. Upload less at a time, or later.`,
  );

/** Deletes the chunks of all users that are older, and counts again what each has left. */
export async function deleteOldChunks(database: Database, before: number, signal: AbortSignal): Promise<void> {
  const users = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select("user_id")
    .union((other) => other.selectFrom("source_chunk_sum").select("user_id").where("chunk_count", ">", 0))
    .execute();
  for (const { user_id } of users) {
    let deleted = deletedAtOnce;
    while (deleted === deletedAtOnce && !signal.aborted)
      deleted = await inSum(database, user_id, (transaction) =>
        deleteSome(transaction, user_id, (chunks) => chunks.where("created_at", "<", before)),
      );
  }
}

/** Deletes these chunks of a user, by their SHA-1s, and counts again what the user has left. */
export async function deleteChunks(
  database: Database,
  userId: number,
  { sha1s, signal }: { readonly sha1s: readonly Buffer[]; readonly signal: AbortSignal },
): Promise<void> {
  for (let at = 0; at < sha1s.length && !signal.aborted; at += deletedAtOnce) {
    const some = sha1s.slice(at, at + deletedAtOnce);
    await inSum(database, userId, (transaction) =>
      deleteSome(transaction, userId, (chunks) => chunks.where("sha1", "in", some)),
    );
  }
}

type Chunks = SelectQueryBuilder<Tables, "source_chunk", { sha1: Buffer }>;

/** How many it deleted. The sum is counted, not reduced: the previous release kept no sum, and this release may follow it. */
async function deleteSome(
  transaction: Transaction<Tables>,
  userId: number,
  which: (chunks: Chunks) => Chunks,
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom("source_chunk")
    .where("user_id", "=", userId)
    .where("sha1", "in", ({ selectFrom }) =>
      which(selectFrom("source_chunk").select("sha1").where("user_id", "=", userId)).limit(deletedAtOnce),
    )
    .executeTakeFirst();
  const { bytes, chunk_count } = await transaction
    .selectFrom("source_chunk")
    .select(({ fn }) => [fn.sum<number | string | null>("size").as("bytes"), fn.countAll<number>().as("chunk_count")])
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  await transaction
    .updateTable("source_chunk_sum")
    .set({ bytes: Number(bytes ?? 0), chunk_count: Number(chunk_count) })
    .where("user_id", "=", userId)
    .execute();
  return Number(numDeletedRows);
}

/** Works on a user's chunks while nothing else does: it begins by locking the row with their sum. */
function inSum<T>(
  database: Database,
  userId: number,
  work: (
    transaction: Transaction<Tables>,
    sum: Pick<Tables["source_chunk_sum"], "bytes" | "chunk_count">,
  ) => Promise<T>,
): Promise<T> {
  return database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      const sum = await transaction
        .insertInto("source_chunk_sum")
        .values({ user_id: userId, bytes: 0, chunk_count: 0 })
        .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ user_id: userId }))
        .returning(["bytes", "chunk_count"])
        .executeTakeFirstOrThrow();
      return work(transaction, sum);
    });
}
