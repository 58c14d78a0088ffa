import type { Host } from "@faultline/plugin";
import type { Transaction } from "kysely";
import { limits } from "../limits.ts";
import type { RecordRow, Tables } from "../tables.ts";
import { countBytes } from "./kept-bytes.ts";
import { findRecord } from "./release-record.ts";

/** The fields of a record that calls set; absent ones stay. */
export type RecordFields = Partial<Pick<RecordRow, "url" | "ref" | "started_at" | "released_at">>;

/** The most bytes that a record or a deploy adds, with an address of 2,048 characters. */
export const smallBytes = 4 * 1024;

interface Put {
  readonly row: RecordRow;
  /** Whether the release had no record before. */
  readonly created: boolean;
}

/**
 * Creates or changes the record of a release, which counts as a use of it, and runs further work in the same transaction.
 * Calls for one release come one after the other. `bytes`: about what this adds. Throws as Host.admitStoring does.
 */
export function putRecord<T>(
  { database, clock, admitStoring }: Host,
  of: { readonly projectId: number; readonly version: string },
  { bytes, ...fields }: RecordFields & { readonly bytes: number },
  work: (transaction: Transaction<Tables>, put: Put) => Promise<T>,
): Promise<T> {
  admitStoring(bytes, of.projectId);
  const now = clock.now();
  return database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      const known = await findRecord(transaction, of);
      const row = await transaction
        .insertInto("release_record")
        .values({
          project_id: of.projectId,
          version: of.version,
          url: "",
          ref: "",
          started_at: null,
          released_at: null,
          ...fields,
          created_at: now,
          used_at: now,
          commit_count: 0,
        })
        .onConflict((conflict) => conflict.columns(["project_id", "version"]).doUpdateSet({ ...fields, used_at: now }))
        .returningAll()
        .executeTakeFirstOrThrow();
      if (!known) await deleteBeyondLimit(transaction, of.projectId);
      const done = await work(transaction, { row, created: !known });
      await countBytes(transaction, [row.id]);
      return done;
    });
}

/** Deletes the records with the oldest use if a project has more than it may have. */
async function deleteBeyondLimit(transaction: Transaction<Tables>, projectId: number): Promise<void> {
  const beyond = await transaction
    .selectFrom("release_record")
    .select("id")
    .where("project_id", "=", projectId)
    .orderBy("used_at", "desc")
    .orderBy("id", "desc")
    .offset(limits.records)
    .limit(1)
    .execute();
  for (const { id } of beyond) await transaction.deleteFrom("release_record").where("id", "=", id).execute();
}
