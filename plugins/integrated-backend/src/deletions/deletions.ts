import { inBackground } from "@faultline/plugin/flow";
import {
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  type ErrorDeletions,
  type Host,
  checkExpected,
  invalidField,
  type BackendCall,
  errorRowId,
  dayMs,
} from "@faultline/plugin";
import { DeletionState, ErrorReason, ErrorStatus, type CreateDeletionRequest } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Discards } from "./discards.ts";
import {
  deleteOldDiscards,
  discardGroups,
  endDiscard,
  endDiscardsOf,
  listDiscards,
  refuseTooMany,
  checkDiscardEnd,
  discardEndText,
} from "./stored-discards.ts";
import { errorNotFound } from "../lists/errors.ts";
import { signTransitions } from "../changes/change-statuses.ts";
import type { ExpensiveReads } from "../expensive-reads.ts";
import { retentionDays } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";
import { deletionToProto } from "../lists/to-proto.ts";
import { nextMatching, countMatching } from "../search/matching-errors.ts";
import { hideErrors, sliceErrors, type HiddenError, restoreNext } from "./hide.ts";
import { readDeletion, deletionsIn, changeDeletion, deletionNotFound, type DeletionRow } from "./deletion-rows.ts";
import { eraseDue, isUndoOver } from "./erase-due.ts";

/** How long a deletion can be undone. */
const undoMs = 600_000;

/** The interval at which due work is looked for. */
const lookEachMs = 1_000;

const { HIDING, HIDDEN, ERASING, ERASED, RESTORING, RESTORED } = DeletionState;

interface DeletionParts {
  readonly host: Host;
  readonly storage: Storage;
  readonly expensive: ExpensiveReads;
  readonly discards: Discards;
}

/**
 * Deletions of errors. A new deletion hides a thousand errors immediately and the others in slices. When it can no
 * longer be undone, its events are erased, also in slices. The progress is in the tables, so that after a kill the next
 * process continues with the rest.
 */
export class Deletions implements ErrorDeletions {
  readonly #parts: DeletionParts;

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  start(): void {
    const { scheduler } = this.#parts.host;
    const alone = { alone: true };
    scheduler.every(lookEachMs, "hide and restore errors", (signal) => this.#hideAndRestore(signal), alone);
    scheduler.every(lookEachMs, "erase deleted errors", (signal) => eraseDue(this.#parts, signal), alone);
    scheduler.every(60 * 60_000, "delete old deletions", () => this.#deleteOld(), alone);
  }

  createDeletion: ErrorDeletions["createDeletion"] = async (request, call) => {
    const { projectId, target, discard } = request;
    const now = this.#parts.host.clock.now();
    if (discard) checkDiscardEnd(discard, now);
    const found = await errorsToDelete(this.#parts, request, { call, now });
    const { write, memory } = this.#parts.storage;
    const [matching] = target.case === "matching" ? [target.value] : [];
    const [named] = target.case === "errors" ? [target.value.errorIds] : [];
    const { id, notFoundErrorIds } = await memory.knownRows
      .forgetAround(() =>
        write.transaction().execute(async (transaction) => {
          const made = await transaction
            .insertInto("integrated_deletion")
            .values({
              project_id: projectId,
              state: HIDING,
              query: matching?.query ?? "",
              status: matching?.status ?? ErrorStatus.UNSPECIFIED,
              all_matching: matching ? 1 : 0,
              last_error_id: found.lastErrorId,
              title: "",
              found_count: found.count,
              deleted_count: 0,
              event_count: 0,
              erased_event_count: 0,
              restored_count: 0,
              superseded_count: 0,
              created_at: now,
              created_by: call.username ?? "",
              undo_until: request.withoutUndo ? null : this.#parts.host.deletionClock.now() + undoMs,
              finished_at: null,
              undone_at: null,
              undone_by: "",
              discard_end: discardEndText(discard),
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          if (discard) await refuseTooMany(transaction, projectId, found.count);
          const { errors } = await this.#hideNext(transaction, made, found.errorIds);
          const isHidden = new Set(errors.map((error) => error.id));
          return {
            id: made.id,
            notFoundErrorIds: named?.filter((errorId) => !isHidden.has(errorRowId(errorId))) ?? [],
          };
        }),
      )
      .catch((error: unknown) => this.#forgetDiscards(error));
    await this.#committed(projectId, discard !== undefined);
    const row = await readDeletion(this.#parts.storage, projectId, id);
    return { deletion: this.#message(row), notFoundErrorIds };
  };

  getDeletion: ErrorDeletions["getDeletion"] = async ({ projectId, deletionId }) => ({
    deletion: this.#message(await readDeletion(this.#parts.storage, projectId, deletionId)),
  });

  listDeletions: ErrorDeletions["listDeletions"] = async (request) => {
    const { projectId } = request;
    const list = `deletions ${projectId}`;
    const place = readPageToken(list, request.pageToken, ["number"]);
    const size = pageSizeOf(request);
    let query = this.#parts.storage.read
      .selectFrom("integrated_deletion")
      .selectAll()
      .where("project_id", "=", projectId);
    if (place) query = query.where("id", "<", place[0]);
    const rows = await query
      .orderBy("id", "desc")
      .limit(size + 1)
      .execute();
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      deletions: page.map((row) => this.#message(row)),
      nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
    };
  };

  undoDeletion: ErrorDeletions["undoDeletion"] = async ({ projectId, deletionId }, { username }) => {
    const { write, dialect } = this.#parts.storage;
    const now = this.#parts.host.clock.now();
    await write.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom("integrated_deletion")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", deletionId)
        .modifyEnd(dialect.locked)
        .executeTakeFirst();
      if (!row) throw deletionNotFound();
      this.#refuseUndo(row);
      await changeDeletion(transaction, row, { state: RESTORING, undone_at: now, undone_by: username ?? "" });
      await endDiscardsOf(transaction, row, now);
    });
    await this.#parts.discards.load();
    this.#parts.discards.announce();
    await restoreNext(this.#parts, await readDeletion(this.#parts.storage, projectId, deletionId));
    return { deletion: this.#message(await readDeletion(this.#parts.storage, projectId, deletionId)) };
  };

  listDiscards: ErrorDeletions["listDiscards"] = async (request) => {
    await this.#parts.discards.write();
    return listDiscards(this.#parts.storage, request, this.#parts.host.clock.now());
  };

  endDiscard: ErrorDeletions["endDiscard"] = async (request) => {
    await this.#parts.discards.write();
    const discard = await endDiscard(this.#parts.storage, request, this.#parts.host.clock.now());
    await this.#parts.discards.load();
    this.#parts.discards.announce();
    return { discard };
  };

  /** Hides the next errors of a deletion, and discards their groups if requested. */
  async #hideNext(
    transaction: Kysely<Tables>,
    row: DeletionRow,
    named: readonly number[] | undefined,
  ): Promise<{ readonly errors: readonly HiddenError[]; readonly isDone: boolean }> {
    const of = { projectId: row.project_id, deletionId: row.id };
    const { query, status, created_at: now } = row;
    const wanted = { projectId: row.project_id, query, status, lastErrorId: row.last_error_id, now };
    const ids = named ?? (await nextMatching(this.#parts.storage, transaction, wanted, sliceErrors));
    const errors = await hideErrors(this.#parts.storage, transaction, of, ids);
    await signTransitions(transaction, row.project_id, { by: row.created_by, at: now });
    if (named && errors.length === 0) throw errorNotFound();
    const deleted = row.deleted_count + errors.length;
    const isDone = named !== undefined || ids.length < sliceErrors;
    await changeDeletion(transaction, row, {
      state: isDone ? (row.undo_until === null ? ERASING : HIDDEN) : HIDING,
      title: row.title || (errors[0]?.title ?? ""),
      deleted_count: deleted,
      event_count: row.event_count + errors.reduce((sum, { event_count }) => sum + event_count, 0),
      ...(isDone && { found_count: deleted }),
    });
    if (row.discard_end !== "") await discardGroups(transaction, row, errors, this.#parts.discards);
    return { errors, isDone };
  }

  async #hideAndRestore(signal: AbortSignal): Promise<void> {
    for (const row of await deletionsIn(this.#parts.storage, [HIDING, RESTORING])) {
      if (row.state === HIDING) await this.#hideRest(row, signal);
      else await this.#restoreRest(row, signal);
    }
  }

  async #hideRest(
    { project_id: projectId, id, discard_end: discardEnd }: DeletionRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { write, memory, dialect } = this.#parts.storage;
    for (let isDone = false; !isDone && !signal.aborted;) {
      isDone = await inBackground(() =>
        memory.knownRows.forgetAround(() =>
          write.transaction().execute(async (transaction) => {
            const row = await transaction
              .selectFrom("integrated_deletion")
              .selectAll()
              .where("project_id", "=", projectId)
              .where("id", "=", id)
              .modifyEnd(dialect.locked)
              .executeTakeFirst();
            if (row?.state !== HIDING) return true; // it may be undone by now
            return (await this.#hideNext(transaction, row, undefined)).isDone;
          }),
        ),
      ).catch((error: unknown) => this.#forgetDiscards(error));
      await this.#committed(projectId, discardEnd !== "");
    }
  }

  async #restoreRest(row: DeletionRow, signal: AbortSignal): Promise<void> {
    for (let isDone = false; !isDone && !signal.aborted;) {
      isDone = await inBackground(async () =>
        restoreNext(this.#parts, await readDeletion(this.#parts.storage, row.project_id, row.id)),
      );
    }
  }

  async #deleteOld(): Promise<void> {
    const now = this.#parts.host.deletionClock.now();
    await this.#parts.storage.write
      .deleteFrom("integrated_deletion")
      .where("finished_at", "<", now - retentionDays * dayMs)
      .execute();
    await deleteOldDiscards(this.#parts.storage, now);
  }

  #refuseUndo(row: DeletionRow): void {
    const refuse = (message: string) => new ServiceError(ErrorReason.UNDO_OVER, message);
    if (row.state === RESTORING || row.state === RESTORED) throw refuse("This deletion was already undone.");
    if (row.undo_until === null)
      throw refuse("This deletion was made without undo: its events were erased immediately.");
    if (row.state === ERASING || row.state === ERASED || isUndoOver(this.#parts.host, row)) {
      throw refuse("A deletion can be undone for ten minutes. This time has passed, and its events are being erased.");
    }
  }

  /** Converts the end of the undo from the clock for deletions to the ordinary clock. */
  #message(row: DeletionRow) {
    const canUndo = row.undo_until !== null && (row.state === HIDING || row.state === HIDDEN);
    const { clock, deletionClock } = this.#parts.host;
    return deletionToProto(row, canUndo ? clock.now() + (row.undo_until ?? 0) - deletionClock.now() : undefined);
  }

  async #committed(projectId: number, withDiscards: boolean): Promise<void> {
    this.#parts.host.errorChanges.publishUnnamed(projectId);
    if (!withDiscards) return;
    await this.#parts.discards.load(); // a running load may have read before the commit
    this.#parts.discards.announce();
  }

  /** Drops the discards of a transaction that was rolled back. */
  async #forgetDiscards(error: unknown): Promise<never> {
    await this.#parts.discards.load();
    throw error;
  }
}

/** The errors that a request deletes. Refuses if there are none, or not the expected number. */
async function errorsToDelete(
  { storage, expensive }: { readonly storage: Storage; readonly expensive: ExpensiveReads },
  { projectId, target }: CreateDeletionRequest,
  { call, now }: { readonly call: BackendCall; readonly now: number },
) {
  if (target.case === "errors") {
    const { errorIds } = target.value;
    if (errorIds.length === 0 || errorIds.length > sliceErrors) {
      throw invalidField("errors.error_ids", "Name 1 to 1,000 errors to delete, or delete all that match.");
    }
    if (new Set(errorIds).size !== errorIds.length) {
      throw invalidField("errors.error_ids", "Name each error once, by its decimal id.");
    }
    return { errorIds: errorIds.map(errorRowId), count: errorIds.length, lastErrorId: 0 };
  }
  if (target.case !== "matching") {
    throw invalidField(
      "errors",
      "Choose the errors to delete: name them, or give a search and the number of errors that you expect.",
    );
  }
  const { query, status, expectedCount } = target.value;
  if (status < ErrorStatus.UNSPECIFIED || status > ErrorStatus.IGNORED) {
    throw invalidField("matching.status", "Choose unresolved, resolved or ignored, or none for all.");
  }
  if (expectedCount === 0) {
    throw invalidField("matching.expected_count", "Give the number of errors that you expect to delete.");
  }
  const newest = await storage.read
    .selectFrom("integrated_error")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  const lastErrorId = newest?.id ?? 0;
  const wanted = { projectId, query, status, lastErrorId, now };
  const count = await expensive.take(call, {
    projectId,
    advice: "Delete fewer errors at a time: search by a key, such as type:TypeError or environment:production.",
    run: (limits) => countMatching(storage, wanted, limits),
  });
  checkExpected({ found: count, expected: expectedCount, field: "matching.expected_count" }, ["delete", "deleted"]);
  return { errorIds: undefined, count, lastErrorId };
}
