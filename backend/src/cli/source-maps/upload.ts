import { createHash, hash } from "node:crypto";
import { ArtifactBundleState as State, type AssembleArtifactBundleResponse } from "@faultline/proto";
import { CommandFault } from "../output.ts";
import type { Service } from "../service.ts";

/** The project by its id or path, which a token of the scope upload may not look up. */
export const projectKey = (named: string) =>
  /^\d+$/.test(named) ? { projectId: Number(named) } : { projectPath: named };

export interface Upload {
  readonly project: string;
  readonly release: string;
  readonly dist: string;
  /** Makes the bytes of the bundle, each time the same. */
  readonly bundle: () => AsyncIterable<Buffer>;
}

/** The service waits up to 20 seconds for a bundle to be read. */
const assembleMs = 30_000;
const mostWaits = 30;

/**
 * Uploads a bundle, of which one chunk is in memory at a time: it is made once to learn which chunks the service lacks, and
 * again to send those. Returns the bundle as the service read it.
 */
export async function upload(
  { sourceMaps, call }: Service,
  { project, release, dist, bundle }: Upload,
): Promise<AssembleArtifactBundleResponse> {
  const { chunkBytes, bundleBytes } = await sourceMaps.getUploadLimits({}, call);
  const whole = createHash("sha1");
  const chunks: string[] = [];
  for await (const chunk of chunksOf(bundle(), chunkBytes)) {
    whole.update(chunk);
    chunks.push(hash("sha1", chunk));
    if (BigInt(chunks.length) * BigInt(chunkBytes) > bundleBytes) throw tooLarge(bundleBytes);
  }
  const request = { ...projectKey(project), checksum: whole.digest("hex"), chunks, release, dist };
  const assemble = () => sourceMaps.assembleArtifactBundle(request, { ...call, timeoutMs: assembleMs });
  let answer = await assemble();
  if (answer.state === State.NOT_FOUND) {
    const missing = new Set(answer.missingChunks);
    for await (const content of chunksOf(bundle(), chunkBytes)) {
      const sha1 = hash("sha1", content);
      if (missing.delete(sha1)) await sourceMaps.putChunk({ sha1, content }, call);
    }
    answer = await assemble();
  }
  for (let waits = 0; answer.state === State.CREATED && waits < mostWaits; waits++) answer = await assemble();
  if (answer.state === State.NOT_FOUND) {
    throw new CommandFault("The folder changed while it was uploaded. Upload it again when the build is done.");
  }
  return answer;
}

/** Pieces of any size as chunks of one size; only the last one may be smaller. */
async function* chunksOf(pieces: AsyncIterable<Buffer>, chunkBytes: number): AsyncGenerator<Buffer> {
  let chunk = Buffer.alloc(chunkBytes);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(chunk, filled, at);
      filled += copied;
      at += copied;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.alloc(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function tooLarge(bytes: bigint): CommandFault {
  return new CommandFault(
    `The build makes a bundle of more than ${bytes / 1024n / 1024n} MiB. Upload its folders one by one, each with the --url-prefix under which it is served.`,
  );
}
