import { setTimeout as delay } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, type AdmittedCall, type Host } from "@faultline/plugin";
import {
  ArtifactBundleKind,
  ArtifactBundleState,
  type AssembleArtifactBundleRequest,
  type AssembleArtifactBundleResponseSchema,
} from "@faultline/proto";
import { normalDebugId } from "../bundle/debug-id.ts";
import { addDebugId } from "../proguard/add-debug-id.ts";
import type { Tables } from "../tables.ts";
import { bundleToProto, type BundleRow } from "./bundle.ts";
import { selectBundles } from "./bundles.ts";
import { uploadLimits } from "./limits.ts";
import { readSha1 } from "./put-chunk.ts";

/** How long a call waits for the bundle to be read. Sentry's clients give up after 30 seconds. */
const waitMs = 20_000;
const lookEachMs = 100;

type Response = MessageInitShape<typeof AssembleArtifactBundleResponseSchema>;

/** Notes a bundle to be read, unless it has been, and waits for that. Without all its chunks it returns the missing ones. */
export async function assemble(
  host: Host,
  request: AssembleArtifactBundleRequest,
  { caller, grant, signal }: AdmittedCall,
): Promise<Response> {
  const wanted = readRequest(request);
  const key = { project_id: grant.project.id, checksum: wanted.checksum, release: wanted.release, dist: wanted.dist };
  const read = host.database.read<Tables>();
  const known = () =>
    selectBundles(read)
      .where("bundle.project_id", "=", key.project_id)
      .where("bundle.checksum", "=", key.checksum)
      .where("bundle.release", "=", key.release)
      .where("bundle.dist", "=", key.dist)
      .executeTakeFirst();
  const stored = await known();
  const mayFollow = stored?.kind === wanted.kind && stored.state !== ArtifactBundleState.ERROR; // what failed is tried again
  if (!mayFollow) {
    const missing = await missingOf(host, caller.user.id, wanted.chunks);
    if (missing.length > 0) return { state: ArtifactBundleState.NOT_FOUND, missingChunks: missing };
    const { kind, debugId } = wanted;
    const debug_ids = JSON.stringify(debugId === undefined ? [] : [debugId]);
    await note(host, { ...key, user_id: caller.user.id, chunks: JSON.stringify(wanted.chunks), kind, debug_ids });
  } else if (wanted.debugId !== undefined) {
    await addDebugId(host.database, stored, wanted.debugId); // builds without a change have the same mapping under another id
  }
  return answerOf(await untilRead(known, signal));
}

function readRequest({ checksum, chunks, release: sent, dist, ...request }: AssembleArtifactBundleRequest) {
  const release = sent.trim() === "undefined" ? "" : sent.trim();
  const mostChunks = uploadLimits.bundleBytes / uploadLimits.chunkBytes;
  if (chunks.length === 0) throw invalidField("chunks", "Name the chunks of the bundle.");
  if (chunks.length > mostChunks) {
    throw invalidField(
      "chunks",
      `A bundle has at most ${uploadLimits.bundleBytes / 1024 / 1024} MiB, ${mostChunks} chunks; this one has ${chunks.length}. Upload its files in several bundles.`,
    );
  }
  for (const chunk of chunks) readSha1(chunk, "chunks");
  if (release.length > 200) throw invalidField("release", "A release has at most 200 characters.");
  if (dist.length > 64) throw invalidField("dist", "A distribution has at most 64 characters.");
  if (dist !== "" && release === "")
    throw invalidField("dist", "A distribution needs a release. Send both, or neither.");
  return { checksum: readSha1(checksum, "checksum"), chunks, release, dist, ...readKind(request) };
}

function readKind({ kind, debugId: sent }: Pick<AssembleArtifactBundleRequest, "kind" | "debugId">) {
  const isMapping = kind === ArtifactBundleKind.PROGUARD;
  const debugId = normalDebugId(sent);
  if (sent !== "" && !isMapping)
    throw invalidField("debug_id", "Only a mapping of ProGuard or R8 has a debug id here.");
  if (sent !== "" && debugId === undefined) throw invalidField("debug_id", "Send a UUID, or leave it out.");
  return { kind: isMapping ? ArtifactBundleKind.PROGUARD : ArtifactBundleKind.SOURCE_MAPS, debugId };
}

async function missingOf({ database }: Host, userId: number, chunks: readonly string[]): Promise<string[]> {
  const stored = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select("sha1")
    .where("user_id", "=", userId)
    .where(
      "sha1",
      "in",
      chunks.map((chunk) => Buffer.from(chunk, "hex")),
    )
    .execute();
  const found = new Set(stored.map(({ sha1 }) => sha1.toString("hex")));
  return [...new Set(chunks)].filter((chunk) => !found.has(chunk));
}

/** Makes the bundle due; what an earlier try left is replaced. */
async function note(
  { database, clock }: Host,
  values: Pick<BundleRow, "project_id" | "checksum" | "release" | "dist" | "user_id" | "chunks" | "kind" | "debug_ids">,
): Promise<void> {
  const due = {
    state: ArtifactBundleState.CREATED,
    detail: "",
    warnings: "[]",
    user_id: values.user_id,
    chunks: values.chunks,
    kind: values.kind,
    debug_ids: values.debug_ids,
  };
  await database
    .write<Tables>()
    .insertInto("source_bundle")
    .values({
      ...values,
      ...due,
      file_count: 0,
      mapped_file_count: 0,
      stored_bytes: 0,
      created_at: clock.now(),
      used_at: null,
    })
    .onConflict((conflict) => conflict.columns(["project_id", "checksum", "release", "dist"]).doUpdateSet(due))
    .execute();
}

/** The bundle once it is read, or as it is when the wait is over. */
async function untilRead(
  known: () => Promise<BundleRow | undefined>,
  signal: AbortSignal | undefined,
): Promise<BundleRow | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const bundle = await known();
    if (bundle?.state !== ArtifactBundleState.CREATED || performance.now() > until || signal?.aborted) return bundle;
    await delay(lookEachMs);
  }
}

const answerOf = (bundle: BundleRow | undefined): Response =>
  bundle
    ? { state: bundle.state, artifactBundle: bundleToProto(bundle) }
    : { state: ArtifactBundleState.NOT_FOUND, missingChunks: [] }; // deleted meanwhile
