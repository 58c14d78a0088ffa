import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Host } from "@faultline/plugin";
import { ArtifactBundleKind, ArtifactBundleState } from "@faultline/proto";
import { type BundleBytes, isWholeBuffer } from "../bundle/bundle-bytes.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import { storeMappings } from "../proguard/store-mappings.ts";
import type { BundleTable, Tables } from "../tables.ts";
import type { Selectable } from "kysely";
import { type BundleChanges, deleteFailed } from "./bundle-changes.ts";
import { ReadingTurns, type ReadingSteps, UploadFault, uploadFault } from "./reading-turns.ts";
import { storeBundle } from "./store-bundle.ts";

type Bundle = Selectable<BundleTable>;

/** The reader of bundles. */
export interface UploadReader {
  readonly host: Host;
  readonly compiler: MapCompiler;
  readonly changes: BundleChanges;
}

/** How soon a bundle is begun that came while others are read. */
const lookEachMs = 500;

/**
 * Reads the bundles that are due until none is: the oldest of each project, and the people who uploaded them take turns. `between` is
 * done again and again meanwhile, while no bundle is touched; what is stored of a bundle is complete then. A bundle that is half read at the
 * end is forgotten, and read again by the next call.
 */
export async function readUploads(
  reader: UploadReader,
  between: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { host, compiler } = reader;
  const turns = new ReadingTurns({ now: () => performance.now(), restedMs: () => compiler.restedMs });
  const reading = new Map<number, Promise<void>>();
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  try {
    while (!signal.aborted) {
      for (const { id, project_id, user_id } of await dueBundles(host.database)) {
        const projectId = Number(project_id);
        if (reading.has(projectId)) continue;
        const owners = [`user ${user_id}`, `project ${projectId}`] as const;
        const over = turns.read(owners, () => readUpload(reader, id, ending));
        reading.set(
          projectId,
          over.finally(() => reading.delete(projectId)),
        );
      }
      if (reading.size === 0) break;
      await Promise.race([...reading.values(), delay(lookEachMs, undefined, { ref: false })]);
      await turns.between(between);
    }
  } finally {
    failed.abort();
    await Promise.allSettled(reading.values());
  }
  if (!signal.aborted) await between();
}

/** The oldest of each project. */
const dueBundles = (database: Database) =>
  database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["id", "project_id", "user_id"])
    .where("id", "in", ({ selectFrom, fn }) =>
      selectFrom("source_bundle")
        .select(fn.min<number>("id").as("id"))
        .where("state", "=", ArtifactBundleState.CREATED)
        .groupBy("project_id"),
    )
    .orderBy("id")
    .execute();

async function* readUpload(reader: UploadReader, id: number, signal: AbortSignal): ReadingSteps {
  if (signal.aborted) return;
  const { database, log } = reader.host;
  const bundle = await dueBundle(database, id);
  if (!bundle) return;
  try {
    await deleteArtifacts(database, id); // what an interrupted reading left
    const bytes = await chunkedBytes(database, bundle);
    yield* refuseDamaged(bytes, bundle);
    const store = bundle.kind === ArtifactBundleKind.PROGUARD ? storeMappings : storeBundle;
    const stored = yield* store(reader.host, reader.compiler, { row: bundle, bytes, signal });
    await finish(reader, bundle, { state: ArtifactBundleState.OK, detail: "", ...stored });
  } catch (error) {
    if (signal.aborted) return; // the next start reads it again
    if (!(await dueBundle(database, id))) return; // deleted meanwhile
    const detail = uploadFault(error);
    if (detail === undefined) log.error({ err: error, bundleId: Number(id) }, "an upload could not be read");
    await deleteArtifacts(database, id); // they would take room that no limit counts
    await finish(reader, bundle, {
      state: ArtifactBundleState.ERROR,
      chunks: "[]", // another call names them again; they take up to 22 kB
      detail: detail ?? "Faultline failed to read it. Upload it again; the cause is in the service log.",
    });
    await deleteFailed(database, bundle.project_id);
  }
}

/** Undefined if it was deleted, or was read while the list of due bundles was read. */
const dueBundle = (database: Database, id: number): Promise<Bundle | undefined> =>
  database
    .read<Tables>()
    .selectFrom("source_bundle")
    .selectAll()
    .where("id", "=", id)
    .where("state", "=", ArtifactBundleState.CREATED)
    .executeTakeFirst();

async function deleteArtifacts(database: Database, id: number): Promise<void> {
  await database.write<Tables>().deleteFrom("source_artifact").where("bundle_id", "=", id).execute();
}

/** A bundle that was deleted meanwhile has no row to change. */
async function finish(
  { host, changes }: UploadReader,
  bundle: Bundle,
  values: Partial<Omit<Bundle, "id">>,
): Promise<void> {
  await host.database.write<Tables>().updateTable("source_bundle").set(values).where("id", "=", bundle.id).execute();
  changes.changed(bundle);
}

/** Each chunk has the SHA-1 it was sent with; this is about their order and number. */
async function* refuseDamaged(bytes: BundleBytes, { checksum }: Bundle): ReadingSteps {
  const hash = createHash("sha1");
  for (let at = 0; at < bytes.size; at += readBytes) {
    hash.update(await bytes.read(at, Math.min(at + readBytes, bytes.size)));
    yield 0;
  }
  if (hash.digest().equals(checksum)) return;
  throw new UploadFault("The chunks do not form the bundle: its SHA-1 differs. Upload it again.");
}

const readBytes = 512 * 1024;

/** Chunks that stay in memory while a bundle is read: 4 MiB. */
const keptChunks = 8;

/** The bytes of a bundle, read from its chunks where they are needed. Throws UploadFault when one is gone. */
async function chunkedBytes(
  database: Database,
  { user_id, chunks }: Pick<Selectable<BundleTable>, "user_id" | "chunks">,
): Promise<BundleBytes> {
  const names = JSON.parse(chunks) as string[]; // as the plugin stored it
  const rows = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select(["sha1", "size"])
    .where("user_id", "=", user_id)
    .execute();
  const sizes = new Map(rows.map(({ sha1, size }) => [sha1.toString("hex"), Number(size)]));
  const starts: number[] = [];
  let end = 0;
  for (const name of names) {
    starts.push(end);
    end += sizes.get(name) ?? gone();
  }
  const kept = new Map<number, Buffer>();
  const chunk = async (place: number): Promise<Buffer> => {
    const known = kept.get(place);
    if (known) return known;
    const row = await database
      .read<Tables>()
      .selectFrom("source_chunk")
      .select("content")
      .where("user_id", "=", user_id)
      .where("sha1", "=", Buffer.from(names[place] ?? "", "hex"))
      .executeTakeFirst();
    const content = row?.content ?? gone();
    kept.set(place, content);
    const [oldest] = kept.keys();
    if (kept.size > keptChunks && oldest !== undefined) kept.delete(oldest);
    return content;
  };
  return {
    size: end,
    async read(start, stop) {
      const parts: Buffer[] = [];
      let place = starts.findLastIndex((first) => first <= start);
      for (let at = start; at < stop; place += 1) {
        const content = await chunk(place);
        const from = at - (starts[place] ?? 0);
        const part = content.subarray(from, from + stop - at);
        parts.push(part);
        at += part.length;
      }
      const [only] = parts;
      // A whole chunk is copied: who gets all of a buffer may hand it over, and the chunk is kept.
      return parts.length === 1 && only && !isWholeBuffer(only) ? only : Buffer.concat(parts);
    },
  };
}

function gone(): never {
  throw new UploadFault("A chunk of the upload is no longer stored: chunks are kept for a day. Upload it again.");
}
