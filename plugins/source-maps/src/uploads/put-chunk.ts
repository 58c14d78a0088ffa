import { hash } from "node:crypto";
import { invalidField, ServiceError, type Host } from "@faultline/plugin";
import { ErrorReason, type PutChunkRequest } from "@faultline/proto";
import { uploadLimits } from "./limits.ts";
import { storeChunk } from "./stored-chunks.ts";

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
  const { chunkBytes } = uploadLimits;
  if (content.length === 0 || content.length > chunkBytes) {
    throw invalidField("content", `A chunk has 1 to ${chunkBytes} bytes; this one has ${content.length}.`);
  }
  if (hash("sha1", content, "hex") !== sha1) {
    throw invalidField("content", "The chunk was damaged in transit: its SHA-1 differs. Send it again.");
  }
  if (!(await isReady())) {
    throw new ServiceError(
      ErrorReason.STORAGE_UNAVAILABLE,
      "Faultline cannot store uploads at the moment, for example because its disk is nearly full. Upload again later.",
    );
  }
  await storeChunk(database, { userId, sha1: digest, content, createdAt: clock.now() });
}
