import {
  invalidField,
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  type BackendCall,
  type ErrorDeletions,
  type Host,
} from "@faultline/plugin";
import { DeletionState, ErrorReason, ErrorStatus, type CreateDeletionRequest } from "@faultline/proto";
import type { Kysely, Selectable } from "kysely";
import type { Discards } from "../discards/discards.ts";
import {
  deleteOldDiscards,
  discardGroups,
  endDiscard,
  endDiscardsOf,
  listDiscards,
  refuseTooMany,
} from "../discards/stored-discards.ts";
import { errorNotFound, errorRowId } from "../lists/errors.ts";
import type { ExpensiveReads } from "../lists/expensive-reads.ts";
import { inBackground } from "../retention/yield-to-ingestion.ts";
import { dayMs, retentionDays } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import type { DeletionTable, Tables } from "../tables.ts";
import { deletionToProto } from "../lists/to-proto.ts";
import { checkDiscardEnd, discardEndText } from "./discard-end.ts";
import { checkExpected, countMatching, nextMatching } from "./find.ts";
import { hideErrors } from "./hide.ts";
import { restoreErrors } from "./restore.ts";

/** Errors that are hidden or restored in one transaction. */
const sliceErrors = 1_000;

/** How often one of these transactions is tried that brings errors back. */
const restoreTries = 10;

/** How long a deletion can be undone. */
const undoMs = 600_000;

/** How soon work that is due begins. */
const lookEachMs = 1_000;

type Row = Selectable<DeletionTable>;

const { HIDING, HIDDEN, ERASING, ERASED, RESTORING, RESTORED } = DeletionState;

/**
 * Deletions of errors. Making one hides its errors, a thousand at once and the others in slices; when its time to undo is over
 * the events are erased, again in slices. What is done is in the tables, so that a process that is killed leaves nothing
 * but the rest to the next one.
 */
export class Deletions implements ErrorDeletions {
  readonly #host: Host;
  readonly #storage: Storage;
  readonly #expensive: ExpensiveReads;
  readonly #discards: Discards;

  constructor(parts: { host: Host; storage: Storage; expensive: ExpensiveReads; discards: Discards }) {
    this.#host = parts.host;
    this.#storage = parts.storage;
    this.#expensive = parts.expensive;
    this.#discards = parts.discards;
  }

  start(): void {
    const { scheduler } = this.#host;
    const alone = { alone: true };
    scheduler.every(lookEachMs, "hide and restore errors", (signal) => this.#hideAndRestore(signal), alone);
    scheduler.every(lookEachMs, "erase deleted errors", (signal) => this.#erase(signal), alone);
    scheduler.every(60 * 60_000, "delete old deletions", () => this.#deleteOld(), alone);
  }

  createDeletion: ErrorDeletions["createDeletion"] = async (request, call) => {
    const { projectId, target, discard } = request;
    const now = this.#host.clock.now();
    if (discard) checkDiscardEnd(discard, now);
    const found = await this.#find(request, call);
    const { write, memory } = this.#storage;
    const [matching] = target.case === "matching" ? [target.value] : [];
    const id = await memory.knownRows
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
              undo_until: request.withoutUndo ? null : this.#host.deletionClock.now() + undoMs,
              finished_at: null,
              discard_end: discardEndText(discard),
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          if (discard) await refuseTooMany(transaction, projectId, found.count);
          await this.#hideNext(transaction, made, found.errorIds);
          return made.id;
        }),
      )
      .catch((error: unknown) => this.#forgetDiscards(error));
    await this.#committed(projectId, discard !== undefined);
    return { deletion: this.#message(await this.#row(projectId, id)) };
  };

  getDeletion: ErrorDeletions["getDeletion"] = async ({ projectId, deletionId }) => ({
    deletion: this.#message(await this.#row(projectId, deletionId)),
  });

  listDeletions: ErrorDeletions["listDeletions"] = async (request) => {
    const { projectId } = request;
    const list = `deletions ${projectId}`;
    const place = readPageToken(list, request.pageToken, ["number"]);
    const size = pageSizeOf(request);
    let query = this.#storage.read.selectFrom("integrated_deletion").selectAll().where("project_id", "=", projectId);
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

  undoDeletion: ErrorDeletions["undoDeletion"] = async ({ projectId, deletionId }) => {
    const { write, dialect } = this.#storage;
    const now = this.#host.clock.now();
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
      await change(transaction, row, { state: RESTORING });
      await endDiscardsOf(transaction, row, now);
    });
    await this.#discards.load();
    this.#discards.announce();
    await this.#restoreNext(await this.#row(projectId, deletionId));
    return { deletion: this.#message(await this.#row(projectId, deletionId)) };
  };

  listDiscards: ErrorDeletions["listDiscards"] = async (request) => {
    await this.#discards.write();
    return listDiscards(this.#storage, request, this.#host.clock.now());
  };

  endDiscard: ErrorDeletions["endDiscard"] = async (request) => {
    await this.#discards.write();
    const discard = await endDiscard(this.#storage, request, this.#host.clock.now());
    await this.#discards.load();
    this.#discards.announce();
    return { discard };
  };

  /** What a request is about; refuses where that is nothing, or not what is expected. */
  async #find({ projectId, target }: CreateDeletionRequest, call: BackendCall) {
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
      throw invalidField("errors", "Say which errors to delete: name them, or give a search with the number expected.");
    }
    const { query, status, expectedCount } = target.value;
    if (status < ErrorStatus.UNSPECIFIED || status > ErrorStatus.IGNORED) {
      throw invalidField("matching.status", "Choose unresolved, resolved or ignored, or none for all.");
    }
    if (expectedCount === 0) {
      throw invalidField(
        "matching.expected_count",
        "Say how many errors you expect to delete: all that match are deleted only with their number.",
      );
    }
    const newest = await this.#storage.read
      .selectFrom("integrated_error")
      .select(({ fn }) => fn.max("id").as("id"))
      .where("project_id", "=", projectId)
      .executeTakeFirst();
    const lastErrorId = newest?.id ?? 0;
    const wanted = { projectId, query, status, lastErrorId };
    const count = await this.#expensive.take(call, {
      projectId,
      advice: "Delete fewer errors at a time: search by a key, such as type:TypeError or environment:production.",
      run: (limits) => countMatching(this.#storage, wanted, limits),
    });
    checkExpected(count, expectedCount);
    return { errorIds: undefined, count, lastErrorId };
  }

  /** Hides the next errors of a deletion, and discards their groups where that is wanted. */
  async #hideNext(transaction: Kysely<Tables>, row: Row, named: readonly number[] | undefined): Promise<boolean> {
    const of = { projectId: row.project_id, deletionId: row.id };
    const { query, status } = row;
    const wanted = { projectId: row.project_id, query, status, lastErrorId: row.last_error_id };
    const ids = named ?? (await nextMatching(this.#storage, transaction, wanted, sliceErrors));
    const errors = await hideErrors(this.#storage, transaction, of, ids);
    if (named && errors.length === 0) throw errorNotFound();
    const deleted = row.deleted_count + errors.length;
    const isDone = named !== undefined || ids.length < sliceErrors;
    await change(transaction, row, {
      state: isDone ? (row.undo_until === null ? ERASING : HIDDEN) : HIDING,
      title: row.title || (errors[0]?.title ?? ""),
      deleted_count: deleted,
      event_count: row.event_count + errors.reduce((sum, { event_count }) => sum + event_count, 0),
      ...(isDone && { found_count: deleted }),
    });
    if (row.discard_end !== "") await discardGroups(transaction, row, errors, this.#discards);
    return isDone;
  }

  async #hideAndRestore(signal: AbortSignal): Promise<void> {
    for (const row of await this.#inStates([HIDING, RESTORING])) {
      if (row.state === HIDING) await this.#hideRest(row, signal);
      else await this.#restoreRest(row, signal);
    }
  }

  async #hideRest({ project_id: projectId, id, discard_end: discardEnd }: Row, signal: AbortSignal): Promise<void> {
    const { write, memory, dialect } = this.#storage;
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
            return row?.state === HIDING ? this.#hideNext(transaction, row, undefined) : true; // it may be undone by now
          }),
        ),
      ).catch((error: unknown) => this.#forgetDiscards(error));
      await this.#committed(projectId, discardEnd !== "");
    }
  }

  async #restoreRest(row: Row, signal: AbortSignal): Promise<void> {
    for (let isDone = false; !isDone && !signal.aborted;) {
      isDone = await inBackground(async () => this.#restoreNext(await this.#row(row.project_id, row.id)));
    }
  }

  /** Where several processes store, one of them may give a hash to a new error at the same moment: then it is looked at again. */
  async #restoreNext(row: Row): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#restoreSlice(row);
      } catch (error) {
        if (tries === restoreTries || !String(error).includes("integrated_error_project_id_group_hash_key"))
          throw error;
      }
    }
  }

  async #restoreSlice(row: Row): Promise<boolean> {
    if (row.state !== RESTORING) return true;
    const { write, memory } = this.#storage;
    const of = { projectId: row.project_id, deletionId: row.id };
    const isDone = await memory.knownRows.forgetAround(() =>
      write.transaction().execute(async (transaction) => {
        const {
          restored,
          superseded,
          isDone: isLast,
        } = await restoreErrors(this.#storage, transaction, of, sliceErrors);
        await transaction
          .updateTable("integrated_deletion")
          .set(({ eb }) => ({
            restored_count: eb("restored_count", "+", restored),
            superseded_count: eb("superseded_count", "+", superseded),
            ...(isLast && { state: RESTORED, finished_at: this.#host.clock.now() }),
          }))
          .where("project_id", "=", row.project_id)
          .where("id", "=", row.id)
          .execute();
        return isLast;
      }),
    );
    this.#host.errorChanges.publishUnnamed(row.project_id);
    return isDone;
  }

  async #erase(signal: AbortSignal): Promise<void> {
    const due = await this.#inStates([ERASING, HIDDEN]);
    for (const row of due) {
      if (signal.aborted) return;
      if (row.state === ERASING || (await this.#takeForErasing(row))) await this.#eraseAll(row, signal);
    }
  }

  /** False: it can still be undone, or was undone meanwhile. */
  async #takeForErasing(row: Row): Promise<boolean> {
    if (!this.#isUndoOver(row)) return false;
    const { numUpdatedRows } = await this.#storage.write
      .updateTable("integrated_deletion")
      .set({ state: ERASING })
      .where("project_id", "=", row.project_id)
      .where("id", "=", row.id)
      .where("state", "=", HIDDEN)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async #eraseAll(row: Row, signal: AbortSignal): Promise<void> {
    const { write } = this.#storage;
    const of = { projectId: row.project_id, deletionId: row.id };
    for (let isDone = false; !isDone;) {
      if (signal.aborted) return;
      const erased = await this.#storage.eraseNext(of);
      isDone = erased.isDone;
      if (erased.eventCount === 0) continue;
      await write
        .updateTable("integrated_deletion")
        .set(({ eb }) => ({ erased_event_count: eb("erased_event_count", "+", erased.eventCount) }))
        .where("project_id", "=", row.project_id)
        .where("id", "=", row.id)
        .execute();
    }
    await this.#storage.giveSpaceBack(signal);
    if (signal.aborted) return;
    await change(write, row, { state: ERASED, finished_at: this.#host.clock.now() });
    this.#host.log.info({ projectId: row.project_id, deletionId: row.id }, "erased deleted errors");
  }

  async #deleteOld(): Promise<void> {
    const now = this.#host.deletionClock.now();
    await this.#storage.write
      .deleteFrom("integrated_deletion")
      .where("finished_at", "<", now - retentionDays * dayMs)
      .execute();
    await deleteOldDiscards(this.#storage, now);
  }

  async #inStates(states: readonly DeletionState[]): Promise<Row[]> {
    return this.#storage.read
      .selectFrom("integrated_deletion")
      .selectAll()
      .where("state", "in", [...states])
      .orderBy("id")
      .limit(100)
      .execute();
  }

  async #row(projectId: number, deletionId: number): Promise<Row> {
    const row = await this.#storage.read
      .selectFrom("integrated_deletion")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("id", "=", deletionId)
      .executeTakeFirst();
    if (!row) throw deletionNotFound();
    return row;
  }

  #isUndoOver({ undo_until }: Row): boolean {
    return undo_until === null || undo_until <= this.#host.deletionClock.now();
  }

  #refuseUndo(row: Row): void {
    const refuse = (message: string) => new ServiceError(ErrorReason.UNDO_OVER, message);
    if (row.state === RESTORING || row.state === RESTORED) throw refuse("This deletion was undone already.");
    if (row.undo_until === null) throw refuse("This deletion was made without undo: its events are erased at once.");
    if (row.state === ERASING || row.state === ERASED || this.#isUndoOver(row)) {
      throw refuse("A deletion can be undone for ten minutes. They are over, and its events are being erased.");
    }
  }

  /** The end of the undo is counted by the clock that deletes, and told by the clock of everybody. */
  #message(row: Row) {
    const canUndo = row.undo_until !== null && (row.state === HIDING || row.state === HIDDEN);
    const { clock, deletionClock } = this.#host;
    return deletionToProto(row, canUndo ? clock.now() + (row.undo_until ?? 0) - deletionClock.now() : undefined);
  }

  async #committed(projectId: number, withDiscards: boolean): Promise<void> {
    this.#host.errorChanges.publishUnnamed(projectId);
    if (!withDiscards) return;
    await this.#discards.load(); // one that was under way may have read before the commit
    this.#discards.announce();
  }

  /** What was to be discarded is not, as its transaction was taken back. */
  async #forgetDiscards(error: unknown): Promise<never> {
    await this.#discards.load();
    throw error;
  }
}

async function change(
  database: Kysely<Tables>,
  { project_id, id }: Row,
  fields: Partial<Omit<Row, "id" | "project_id">>,
): Promise<void> {
  await database
    .updateTable("integrated_deletion")
    .set(fields)
    .where("project_id", "=", project_id)
    .where("id", "=", id)
    .execute();
}

function deletionNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.DELETION_NOT_FOUND,
    "There is no such deletion in this project. Deletions are listed for 90 days.",
  );
}
