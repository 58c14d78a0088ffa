import { createHash } from "node:crypto";
import type { Host } from "@faultline/plugin";
import { ArtifactBundleKind, ArtifactBundleState } from "@faultline/proto";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import { storeMappings } from "../proguard/store-mappings.ts";
import type { BundleTable, Tables } from "../tables.ts";
import type { Selectable } from "kysely";
import { chunkedBytes } from "./chunked-bytes.ts";
import { storeBundle } from "./store-bundle.ts";
import { UploadFault, uploadFault } from "./upload-fault.ts";

type Bundle = Selectable<BundleTable>;

/** Reads the bundles that are due, the oldest first, one at a time. */
export async function readUploads(host: Host, compiler: MapCompiler, signal: AbortSignal): Promise<void> {
  const { database, log } = host;
  while (!signal.aborted) {
    const bundle = await database
      .read<Tables>()
      .selectFrom("source_bundle")
      .selectAll()
      .where("state", "=", ArtifactBundleState.CREATED)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!bundle) return;
    await readUpload(host, compiler, { bundle, signal }).catch(async (error: unknown) => {
      if (signal.aborted) return; // the next start reads it again
      const detail = uploadFault(error);
      if (detail === undefined) log.error({ err: error, bundleId: Number(bundle.id) }, "an upload could not be read");
      await deleteArtifacts(host, bundle); // they would take room that no limit counts
      await end(host, bundle, {
        state: ArtifactBundleState.ERROR,
        detail: detail ?? "Faultline failed to read it. Upload it again; the log of the service has the cause.",
      });
    });
  }
}

async function readUpload(
  host: Host,
  compiler: MapCompiler,
  { bundle, signal }: { bundle: Bundle; signal: AbortSignal },
): Promise<void> {
  await deleteArtifacts(host, bundle); // what an interrupted reading left
  const bytes = await chunkedBytes(host.database, bundle);
  await refuseDamaged(bytes, bundle);
  const store = bundle.kind === ArtifactBundleKind.PROGUARD ? storeMappings : storeBundle;
  const stored = await store(host, compiler, { row: bundle, bytes, signal });
  await end(host, bundle, { state: ArtifactBundleState.OK, detail: "", ...stored });
}

async function deleteArtifacts({ database }: Host, { id }: Pick<Bundle, "id">): Promise<void> {
  await database.write<Tables>().deleteFrom("source_artifact").where("bundle_id", "=", id).execute();
}

/** A bundle that was deleted meanwhile has no row to change. */
async function end({ database }: Host, { id }: Pick<Bundle, "id">, values: Partial<Omit<Bundle, "id">>): Promise<void> {
  await database.write<Tables>().updateTable("source_bundle").set(values).where("id", "=", id).execute();
}

/** Each chunk has the SHA-1 it was sent with; this is about their order and number. */
async function refuseDamaged(bytes: BundleBytes, { checksum }: Bundle): Promise<void> {
  const hash = createHash("sha1");
  for (let at = 0; at < bytes.size; at += readBytes)
    hash.update(await bytes.read(at, Math.min(at + readBytes, bytes.size)));
  if (hash.digest().equals(checksum)) return;
  throw new UploadFault("The chunks do not make up the bundle: its SHA-1 is another one. Upload it again.");
}

const readBytes = 512 * 1024;
