import { hash } from "node:crypto";
import { invalidField, ServiceError, type Host } from "@faultline/plugin";
import { ErrorReason, type PutChunkRequest } from "@faultline/proto";
import type { Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";

const sha1Text = /^[0-9a-f]{40}$/;

/** Reads a SHA-1; refuses what is none. */
export function readSha1(text: string, field: string): Buffer {
  if (!sha1Text.test(text)) throw invalidField(field, "Send a SHA-1 as 40 lower-case hexadecimal digits.");
  return Buffer.from(text, "hex");
}

/** Stores a chunk for a user. The same one again only makes it younger. */
export async function putChunk(
  { database, clock, isReady }: Host,
  userId: number,
  { sha1, content }: Pick<PutChunkRequest, "sha1" | "content">,
): Promise<void> {
  const digest = readSha1(sha1, "sha1");
  const { chunkBytes, chunksOfUser } = uploadLimits;
  if (content.length === 0 || content.length > chunkBytes) {
    throw invalidField("content", `A chunk has 1 to ${chunkBytes} bytes; this one has ${content.length}.`);
  }
  if (hash("sha1", content, "hex") !== sha1) {
    throw invalidField(
      "content",
      "The chunk arrived damaged: its SHA-1 is not the one it was sent with. Send it again.",
    );
  }
  if (!(await isReady())) {
    throw new ServiceError(
      ErrorReason.STORAGE_UNAVAILABLE,
      "Faultline stores nothing at the moment, such as on a disk that is nearly full. Upload again later.",
    );
  }
  const write = database.write<Tables>();
  const { bytes } = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select(({ fn }) => fn.sum<number | string | null>("size").as("bytes"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  if (Number(bytes) + content.length > chunksOfUser) {
    throw new ServiceError(
      ErrorReason.LIMIT_REACHED,
      "1 GiB of your chunks wait for their bundles already. They are deleted after a day: upload less at a time, or later.",
    );
  }
  const created_at = clock.now();
  await write
    .insertInto("source_chunk")
    .values({ user_id: userId, sha1: digest, size: content.length, created_at, content: Buffer.from(content) })
    .onConflict((conflict) => conflict.columns(["user_id", "sha1"]).doUpdateSet({ created_at }))
    .execute();
}
