import { inBackground } from "@faultline/plugin/flow";
import { sql } from "kysely";
import type { Storage } from "../storage.ts";

/**
 * The minimum time between two indexings of an error with texts that change at each event. Until then searches read its
 * row.
 */
export const searchIndexIntervalMs = 5_000;

/** Small enough that ingestion waits only some milliseconds for the writer. */
const sliceErrors = 50;

/** Tags of a slice, because an error may have many. */
const sliceTags = 1_000;

/** Fills the index with the errors of an older release, and then indexes every due error once. */
export async function keepSearchIndex(storage: Storage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await inBackground(() => fillNext(storage))));
  let place: readonly [projectId: number, errorId: number] = [0, 0];
  while (!signal.aborted) {
    const due = await storage.read
      .selectFrom("integrated_search_due")
      .selectAll()
      .where(({ eb, refTuple, tuple }) => eb(refTuple("project_id", "error_id"), ">", tuple(...place)))
      .orderBy("project_id")
      .orderBy("error_id")
      .limit(sliceErrors)
      .execute();
    const last = due.at(-1);
    if (!last) return;
    await inBackground(() => storage.indexErrors(due));
    place = [last.project_id, last.error_id];
  }
}

/**
 * Fills in the next errors that were stored before the index existed: copies their tags to integrated_tag_error, and
 * marks the errors as due. It is idempotent, so an interrupted step runs again. Returns whether there was a project to
 * fill.
 */
async function fillNext({ read, write, dialect }: Storage): Promise<boolean> {
  const project = await read.selectFrom("integrated_search_fill").selectAll().limit(1).executeTakeFirst();
  if (!project) return false;
  const { project_id: projectId, group_hash: hash } = project;
  const errors = await read
    .selectFrom("integrated_error")
    .select(["id", "group_hash"])
    .where("project_id", "=", projectId)
    .where("group_hash", ">", hash)
    .orderBy("group_hash")
    .limit(sliceErrors)
    .execute();
  const last = errors.at(-1);
  if (!last) {
    await write.deleteFrom("integrated_search_fill").where("project_id", "=", projectId).execute();
    return true;
  }
  const ids = sql.join(errors.map(({ id }) => id));
  const { numAffectedRows } = await sql`
    insert into integrated_tag_error (project_id, key, value, error_id)
    select integrated_error.project_id, key, integrated_tag.value, error_id
    from integrated_tag join integrated_error on id = error_id${dialect.sameProject("integrated_tag", "integrated_error")}
    where id in (${ids}) and integrated_error.project_id = ${projectId} and not exists (
      select 1 from integrated_tag_error known where known.project_id = ${projectId}
        and known.key = integrated_tag.key and known.value = integrated_tag.value and known.error_id = id)
    limit ${sliceTags}
    on conflict do nothing`.execute(write);
  if (numAffectedRows === BigInt(sliceTags)) return true; // the rest of these errors' tags comes first
  await write
    .insertInto("integrated_search_due")
    .values(errors.map(({ id }) => ({ project_id: projectId, error_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await write
    .updateTable("integrated_search_fill")
    .set({ group_hash: last.group_hash })
    .where("project_id", "=", projectId)
    .execute();
  return true;
}
