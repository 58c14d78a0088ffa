import { type MessageInitShape, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import {
  hourMs,
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  dayMs,
  invalidField,
  millisecondsOf,
} from "@faultline/plugin";
import {
  ErrorReason,
  type DiscardSchema,
  type EndDiscardRequest,
  type ListDiscardsRequest,
  type ListDiscardsResponseSchema,
  DiscardEndSchema,
  type DiscardEnd,
} from "@faultline/proto";
import { sql, type Kysely, type Selectable } from "kysely";
import type { HiddenError } from "./hide.ts";
import { jsonAt } from "../event/payload.ts";
import { retentionDays } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import type { DeletionTable, DiscardTable, Tables } from "../tables.ts";
import { discardToProto } from "../lists/to-proto.ts";
import type { Discards } from "./discards.ts";

/** Maximum discarded groups of a project at a time. Every storing process keeps all of them in memory. */
const discardsOfProject = 500;

const hoursShown = 24;
const hoursKeptDays = 30;
const longestSample = 32 * 1024;

type DeletionRow = Selectable<DeletionTable>;
type DiscardRow = Selectable<DiscardTable>;

/** Refuses to discard more groups than a project may discard. */
export async function refuseTooMany(database: Kysely<Tables>, projectId: number, more: number): Promise<void> {
  const { n } = await database
    .selectFrom("integrated_discard")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("project_id", "=", projectId)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(n) + more <= discardsOfProject) return;
  throw new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `A project discards at most ${discardsOfProject} groups at a time, and this project discards ${n}. Delete fewer errors at a time, delete them without discarding, or end discards that you no longer need.`,
  );
}

/** Discards the groups of errors that a deletion hides. Storing processes are notified before the commit. */
export async function discardGroups(
  transaction: Kysely<Tables>,
  deletion: DeletionRow,
  errors: readonly HiddenError[],
  discards: Discards,
): Promise<void> {
  const rows: Omit<DiscardRow, "id">[] = errors.map(({ group_hash, grouping_version, title, culprit, level }) => ({
    project_id: deletion.project_id,
    deletion_id: deletion.id,
    group_hash,
    grouping_version,
    title,
    culprit,
    level,
    created_at: deletion.created_at,
    created_by: deletion.created_by,
    ...discardEndColumns(deletion.discard_end),
    ended_at: null,
    stopped_count: 0,
    last_stopped_at: null,
  }));
  for (let from = 0; from < rows.length; from += 50) {
    const made = await transaction
      .insertInto("integrated_discard")
      .values(rows.slice(from, from + 50))
      .onConflict((conflict) =>
        conflict.columns(["project_id", "group_hash"]).where("ended_at", "is", null).doNothing(),
      )
      .returningAll()
      .execute();
    discards.add(made);
  }
}

/** Ends the discards of a deletion that is being undone. */
export async function endDiscardsOf(transaction: Kysely<Tables>, { project_id, id }: DeletionRow, now: number) {
  await transaction
    .updateTable("integrated_discard")
    .set({ ended_at: now })
    .where("project_id", "=", project_id)
    .where("deletion_id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}

/** A page of discards, active discards first. */
export async function listDiscards(
  storage: Storage,
  request: ListDiscardsRequest,
  now: number,
): Promise<MessageInitShape<typeof ListDiscardsResponseSchema>> {
  const { projectId } = request;
  const list = `discards ${projectId}`;
  const place = readPageToken(list, request.pageToken, ["number", "number"]);
  const size = pageSizeOf(request);
  const isRunning = sql<number>`case when ended_at is null then 1 else 0 end`;
  let query = storage.read.selectFrom("integrated_discard").selectAll().where("project_id", "=", projectId);
  if (place) query = query.where(sql<boolean>`(${isRunning}, id) < (${sql.lit(place[0])}, ${sql.lit(place[1])})`);
  const rows = await query
    .orderBy(isRunning, "desc")
    .orderBy("id", "desc")
    .limit(size + 1)
    .execute();
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    discards: await withDetails(storage, projectId, page, now),
    nextPageToken: rows.length > size && last ? pageToken(list, [last.ended_at === null ? 1 : 0, last.id]) : "",
  };
}

async function withDetails({ read }: Storage, projectId: number, rows: readonly DiscardRow[], now: number) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const first = Math.floor(now / hourMs) - hoursShown + 1;
  const hours = await read
    .selectFrom("integrated_discard_hour")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("discard_id", "in", ids)
    .where("hour", ">=", first)
    .execute();
  const samples = await read
    .selectFrom("integrated_discard_sample")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("discard_id", "in", ids)
    .orderBy("day", "desc")
    .execute();
  const sampled = await Promise.all(samples.map(async (row) => ({ ...row, json: await jsonAt(row) })));
  return rows.map((row) => {
    const counts = Array.from({ length: hoursShown }, () => 0);
    for (const { discard_id, hour, event_count } of hours) {
      if (discard_id === row.id && hour - first < hoursShown) counts[hour - first] = event_count;
    }
    const own = sampled.filter(({ discard_id, json }) => discard_id === row.id && json.length <= longestSample);
    return discardToProto(row, counts, own);
  });
}

/** Ends a discard. A discard that has already ended remains unchanged. */
export async function endDiscard(
  { read, write }: Storage,
  { projectId, discardId }: EndDiscardRequest,
  now: number,
): Promise<MessageInitShape<typeof DiscardSchema>> {
  await write
    .updateTable("integrated_discard")
    .set({ ended_at: now })
    .where("project_id", "=", projectId)
    .where("id", "=", discardId)
    .where("ended_at", "is", null)
    .execute();
  const row = await read
    .selectFrom("integrated_discard")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", discardId)
    .executeTakeFirst();
  if (!row) {
    throw new ServiceError(ErrorReason.DELETION_NOT_FOUND, "This discard does not exist in this project.");
  }
  return discardToProto(row);
}

/** Deletes counts older than 30 days, and discards that ended 90 days ago with all their data. */
export async function deleteOldDiscards({ write }: Storage, now: number): Promise<void> {
  await write
    .deleteFrom("integrated_discard_hour")
    .where("hour", "<", Math.floor((now - hoursKeptDays * dayMs) / hourMs))
    .execute();
  const ended = sql`(select project_id, id from integrated_discard where ended_at < ${now - retentionDays * dayMs})`;
  await write.transaction().execute(async (transaction) => {
    for (const table of ["integrated_discard_hour", "integrated_discard_sample"]) {
      await sql`delete from ${sql.table(table)} where (project_id, discard_id) in ${ended}`.execute(transaction);
    }
    await sql`delete from integrated_discard where (project_id, id) in ${ended}`.execute(transaction);
  });
}

const longestMs = 10 * 366 * 24 * 3_600_000;
const releaseLength = 200;

/** Refuses an end that can never occur. */
export function checkDiscardEnd({ end }: DiscardEnd, now: number): void {
  switch (end.case) {
    case "time": {
      const at = millisecondsOf(end.value);
      if (at <= now || at > now + longestMs) {
        throw invalidField("discard.time", "A discard ends at a time in the future, within ten years.");
      }
      return;
    }
    case "eventCount":
      if (end.value === 0) throw invalidField("discard.event_count", "A discard ends after 1 event or more.");
      return;
    case "release":
      if (end.value.trim() === "" || end.value.length > releaseLength) {
        throw invalidField(
          "discard.release",
          `Name the release that ends the discard, in 1 to ${releaseLength} characters.`,
        );
      }
      return;
    default:
  }
}

/** The end in the form that a deletion stores. */
export const discardEndText = (end: DiscardEnd | undefined) => (end ? toJsonString(DiscardEndSchema, end) : "");

/** The end in the form that a discard stores. */
export function discardEndColumns(text: string): Pick<DiscardTable, "ends_at" | "ends_after" | "ends_with_release"> {
  const { end } = fromJsonString(DiscardEndSchema, text);
  return {
    ends_at: end.case === "time" ? millisecondsOf(end.value) : null,
    ends_after: end.case === "eventCount" ? end.value : null,
    ends_with_release: end.case === "release" ? end.value.trim() : "",
  };
}
