import { hash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type AdmittedCall, type Host } from "@faultline/plugin";
import {
  ArtifactBundleKind,
  ArtifactBundleState,
  type AssembleArtifactBundleRequest,
  type AssembleArtifactBundleResponseSchema,
  ErrorReason,
  type PutChunkRequest,
} from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { normalDebugId } from "../bundle/debug-id.ts";
import { addDebugId } from "../proguard/store-mappings.ts";
import type { Tables } from "../tables.ts";
import { type BundleChanges, bundleToProto, type BundleRow } from "./bundle-changes.ts";
import { uploadLimits } from "./limits.ts";
import { storeChunk } from "./stored-chunks.ts";

/** When to ask again if too many bundles wait. The package `sentry` gives up if it should wait for longer. */
const retrySeconds = 10;

type Response = MessageInitShape<typeof AssembleArtifactBundleResponseSchema>;

/** Notes a bundle to be read, unless it has been, and waits for that. Without all its chunks it returns the missing ones. */
export async function assemble(
  { host, changes }: { readonly host: Host; readonly changes: BundleChanges },
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
  return answerOf(await changes.untilRead(key, { userId: caller.user.id, signal }, known));
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
    throw invalidField("debug_id", "Only a mapping of ProGuard or R8 can have a debug id.");
  if (sent !== "" && debugId === undefined) throw invalidField("debug_id", "Send a UUID, or leave it out.");
  return { kind: isMapping ? ArtifactBundleKind.PROGUARD : ArtifactBundleKind.SOURCE_MAPS, debugId };
}

/** The chunks that are not there. Refuses what no client makes of a bundle. */
async function missingOf({ database }: Host, userId: number, chunks: readonly string[]): Promise<string[]> {
  const stored = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select(["sha1", "size"])
    .where("user_id", "=", userId)
    .where(
      "sha1",
      "in",
      chunks.map((chunk) => Buffer.from(chunk, "hex")),
    )
    .execute();
  const sizes = new Map(stored.map(({ sha1, size }) => [sha1.toString("hex"), Number(size)]));
  const missing = [...new Set(chunks)].filter((chunk) => !sizes.has(chunk));
  if (missing.length === 0) refuseSizes(chunks.map((chunk) => sizes.get(chunk) ?? 0));
  return missing;
}

/**
 * As the number of chunks is bounded, so is their sum. A chunk may be named several times: a bundle that is not compressed, or a
 * mapping, may hold the same 512 KiB twice. It counts each time, and is read in turns as any other bundle.
 */
function refuseSizes(sizes: readonly number[]): void {
  const { chunkBytes } = uploadLimits;
  if (sizes.slice(0, -1).every((size) => size === chunkBytes)) return;
  throw invalidField(
    "chunks",
    `Only the last chunk of a bundle may have fewer than ${chunkBytes} bytes. Cut the bundle into chunks of this size.`,
  );
}

type NewBundle = Pick<
  BundleRow,
  "project_id" | "checksum" | "release" | "dist" | "user_id" | "chunks" | "kind" | "debug_ids"
>;

/** Makes the bundle due; what an earlier try left is replaced. Refuses with TOO_MANY_ATTEMPTS where 20 of the project wait. */
async function note({ database, clock }: Host, values: NewBundle): Promise<void> {
  const due = {
    state: ArtifactBundleState.CREATED,
    detail: "",
    warnings: "[]",
    user_id: values.user_id,
    chunks: values.chunks,
    kind: values.kind,
    debug_ids: values.debug_ids,
    created_at: clock.now(),
  };
  const none = { file_count: 0, mapped_file_count: 0, stored_bytes: 0, used_at: null };
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      // One after the other: otherwise concurrent calls would all find a place.
      if (database.kind === "postgresql")
        await sql`select 1 from project where id = ${values.project_id} for no key update`.execute(transaction);
      await refuseMany(transaction, values.project_id);
      await transaction
        .insertInto("source_bundle")
        .values({ ...values, ...due, ...none })
        .onConflict((conflict) => conflict.columns(["project_id", "checksum", "release", "dist"]).doUpdateSet(due))
        .execute();
    });
}

async function refuseMany(tables: Kysely<Tables>, projectId: number): Promise<void> {
  const waiting = await tables
    .selectFrom("source_bundle")
    .select("id")
    .where("state", "=", ArtifactBundleState.CREATED)
    .where("project_id", "=", projectId)
    .limit(uploadLimits.waitingOfProject)
    .execute();
  if (waiting.length < uploadLimits.waitingOfProject) return;
  throw new ServiceError(
    ErrorReason.TOO_MANY_ATTEMPTS,
    `${waiting.length} uploads of the project are waiting to be read. Upload this bundle again when some of them are done: the page "Source maps" shows them.`,
    { retryAfterSeconds: retrySeconds },
  );
}

const answerOf = (bundle: BundleRow | undefined): Response =>
  bundle
    ? { state: bundle.state, artifactBundle: bundleToProto(bundle) }
    : { state: ArtifactBundleState.NOT_FOUND, missingChunks: [] }; // deleted meanwhile

/** The bundles with the names of the people who uploaded them. */
export function selectBundles(tables: Kysely<Tables>) {
  return tables
    .selectFrom("source_bundle as bundle")
    .leftJoin("user", "user.id", "bundle.user_id")
    .selectAll("bundle")
    .select("user.username");
}

const sha1Text = /^[0-9a-f]{40}$/;

/** Reads a SHA-1; refuses any other text. */
function readSha1(text: string, field: string): Buffer {
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
