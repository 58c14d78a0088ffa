import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Announcements, timestamp, dayMs, hourMs, type Database, type Host } from "@faultline/plugin";
import { ArtifactBundleState, type ArtifactBundleSchema } from "@faultline/proto";
import type { Selectable } from "kysely";
import type { BundleTable, Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";
import { deleteOldChunks } from "./stored-chunks.ts";

/** How long a call waits for the bundle to be read. Sentry's clients give up after 30 seconds. */
const usualWaitMs = 20_000;

/** Calls of one person that wait. Each keeps a request in memory. */
const waitingOfPerson = 32;

const subject = "source map uploads";

/** The identity of a bundle. */
type BundleKey = Pick<BundleRow, "project_id" | "checksum" | "release" | "dist">;

/** Tells the calls that wait for a bundle, in all processes, that it changed. */
export class BundleChanges {
  readonly #waitMs: number;
  /** The wait of a bundle's calls, by bundle. */
  readonly #awaited = new Map<string, Awaited>();
  /** Waiting calls, by person. */
  readonly #waiting = new Map<number, number>();
  #announcements: Announcements | undefined;

  constructor(waitMs = usualWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Hears of the changes that other processes make, and tells them of those made here. */
  hear(announcements: Announcements): void {
    this.#announcements = announcements;
    announcements.subscribe(subject, (key) => this.#wake(key)); // a lost one costs a call the rest of its wait
  }

  /** To be called after a bundle was read or deleted. */
  changed(bundle: BundleKey): void {
    const key = keyOf(bundle);
    this.#wake(key);
    this.#announcements?.announce(subject, key);
  }

  /**
   * The bundle once it is read, or its current state when the wait of 20 s ends or the caller leaves; immediately if 32 calls of the person
   * wait already. `look` reads it: when the wait begins, at each change, and at the end.
   */
  async untilRead(
    bundle: BundleKey,
    { userId, signal }: { readonly userId: number; readonly signal: AbortSignal | undefined },
    look: () => Promise<BundleRow | undefined>,
  ): Promise<BundleRow | undefined> {
    const waiting = this.#waiting.get(userId) ?? 0;
    if (waiting >= waitingOfPerson) return look();
    this.#waiting.set(userId, waiting + 1);
    const key = keyOf(bundle);
    const awaited = this.#awaited.get(key) ?? { calls: 0, change: Promise.withResolvers<void>() };
    this.#awaited.set(key, awaited);
    awaited.calls += 1;
    const end = endOf(this.#waitMs, signal);
    try {
      for (;;) {
        const { promise: change } = awaited.change; // before the look, so that no change is missed between the two
        const isOver = end.isOver();
        const found = await look();
        if (found?.state !== ArtifactBundleState.CREATED || isOver) return found;
        await Promise.race([change, end.promise]);
      }
    } finally {
      end.clear();
      awaited.calls -= 1;
      if (awaited.calls === 0) this.#awaited.delete(key);
      const others = (this.#waiting.get(userId) ?? 1) - 1;
      if (others > 0) this.#waiting.set(userId, others);
      else this.#waiting.delete(userId);
    }
  }

  #wake(key: string): void {
    const awaited = this.#awaited.get(key);
    if (!awaited) return;
    awaited.change.resolve();
    awaited.change = Promise.withResolvers<void>();
  }
}

/** The shared wait of the calls for one bundle. */
interface Awaited {
  calls: number;
  change: PromiseWithResolvers<void>;
}

const keyOf = ({ project_id, checksum, release, dist }: BundleKey): string =>
  JSON.stringify([Number(project_id), checksum.toString("hex"), release, dist]);

/** The end of a wait: its time has passed, or the caller left. */
function endOf(ms: number, signal: AbortSignal | undefined) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = signal?.aborted === true;
  const finish = () => {
    isOver = true;
    resolve();
  };
  const timer = setTimeout(finish, ms);
  signal?.addEventListener("abort", finish, { once: true });
  return {
    promise,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
    },
  };
}

/** A bundle with the name of who uploaded it; null if that user is deleted. */
export type BundleRow = Selectable<BundleTable> & { readonly username: string | null };

export function bundleToProto(row: BundleRow): MessageInitShape<typeof ArtifactBundleSchema> {
  return {
    bundleId: Number(row.id),
    projectId: Number(row.project_id),
    checksum: row.checksum.toString("hex"),
    release: row.release,
    dist: row.dist,
    state: row.state,
    detail: row.state === ArtifactBundleState.ERROR ? row.detail : "",
    warnings: JSON.parse(row.warnings) as string[], // as the plugin stored it
    fileCount: Number(row.file_count),
    mappedFileCount: Number(row.mapped_file_count),
    storedBytes: BigInt(row.stored_bytes),
    createdTime: timestamp(Number(row.created_at)),
    ...(row.used_at !== null && { lastUsedTime: timestamp(Number(row.used_at)) }),
    createdBy: row.username ?? "",
    ...(row.groups_since !== null && { groupingSinceTime: timestamp(Number(row.groups_since)) }),
    kind: row.kind,
    debugIds: JSON.parse(row.debug_ids) as string[], // as the plugin stored it
  };
}

/** Rows that a statement deletes, so that storing waits only for some milliseconds. */
const rowsAtOnce = 20;

/**
 * Deletes chunks that wait for too long, bundles that map nothing any more or could not be used, and contents that no bundle needs,
 * which includes what an interrupted reading left: it must not run during a turn of one.
 */
export async function deleteOld({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const now = deletionClock.now();
  const latestUse = now - uploadLimits.unusedDays * dayMs;
  await deleteOldChunks(database, now - uploadLimits.chunkHours * hourMs, signal);
  const slices = [
    () =>
      write.deleteFrom("source_bundle").where(({ eb, selectFrom, fn, val }) =>
        eb(
          "id",
          "in",
          selectFrom("source_bundle")
            .select("id")
            .where("created_at", "<", latestUse)
            .where(fn.coalesce("used_at", val(0)), "<", latestUse)
            .limit(rowsAtOnce),
        ),
      ),
    () =>
      write.deleteFrom("source_bundle").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("source_bundle")
            .select("id")
            .where("state", "=", ArtifactBundleState.ERROR)
            .where("created_at", "<", now - uploadLimits.failedHours * hourMs)
            .limit(rowsAtOnce),
        ),
      ),
    () =>
      write.deleteFrom("source_blob").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("source_blob as blob")
            .select("blob.id")
            .leftJoin("source_blob_use as needed", "needed.blob_id", "blob.id")
            .where("needed.blob_id", "is", null)
            .limit(1), // with up to some thousand pages
        ),
      ),
  ];
  for (const slice of slices) {
    let deleted = 1;
    while (deleted > 0 && !signal.aborted) {
      const [result] = await slice().execute();
      deleted = Number(result?.numDeletedRows ?? 0);
    }
  }
}

/** Deletes the oldest uploads of a project that could not be used, beyond the newest 100. To be called after each. */
export async function deleteFailed(database: Database, projectId: number): Promise<void> {
  await database
    .write<Tables>()
    .deleteFrom("source_bundle")
    .where(({ eb, selectFrom }) =>
      eb(
        "id",
        "in",
        selectFrom("source_bundle")
          .select("id")
          .where("project_id", "=", projectId)
          .where("state", "=", ArtifactBundleState.ERROR)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(rowsAtOnce)
          .offset(uploadLimits.failedOfProject),
      ),
    )
    .execute();
}
