import { invalidField, ServiceError, type ErrorBulkUpdates, type Host } from "@faultline/plugin";
import { BulkUpdateState, ErrorReason } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { ChangedError } from "../changes/change-statuses.ts";
import { advice, checkIsExpected, checkNewStatus, newestError } from "../changes/update-matching.ts";
import { checkExpected, matchingErrors } from "../deletions/find.ts";
import { refuseUnknownTags } from "../search/unknown-tags.ts";
import { errorRowId } from "../lists/errors.ts";
import type { ExpensiveReads } from "../lists/expensive-reads.ts";
import { bulkUpdateToProto } from "../lists/to-proto.ts";
import { dayMs } from "../retention/retention.ts";
import { inBackground } from "../retention/yield-to-ingestion.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";
import {
  changeBulkUpdate,
  deleteBulkUpdates,
  lockBulkUpdate,
  readBulkUpdate,
  running,
  type BulkUpdateRow,
} from "./bulk-update-rows.ts";
import { changeNext, slicesOf, undoNext } from "./slices.ts";

/** How soon work that is due begins. */
const lookEachMs = 1_000;

/** Errors of one bulk update: their ids are some 2 MB. */
const mostErrors = 250_000;

/** Of the ids and former statuses of an error in a bulk update. */
const bytesOfError = 16;

/** Bulk updates of a project that run at a time. */
const mostRunning = 3;

/** Ended bulk updates of a project that can be undone. */
const mostKept = 50;

/** How long they are kept. */
const keptMs = dayMs;

const { CHANGING, STOPPED, UNDOING, UNDONE } = BulkUpdateState;

interface Parts {
  readonly host: Host;
  readonly storage: Storage;
  readonly expensive: ExpensiveReads;
}

interface Named {
  readonly projectId: number;
  readonly bulkUpdateId: number;
}

/**
 * Changes of the status of all errors that match a search. Their ids are stored when one is made, in slices of a thousand,
 * and each slice is changed in the transaction that stores the former statuses, so that after a kill the next process
 * continues with the next slice and the undo has all.
 */
export class BulkUpdates implements ErrorBulkUpdates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    const { scheduler } = this.#parts.host;
    scheduler.every(lookEachMs, "update errors in bulk", (signal) => this.#continue(signal), { alone: true });
    scheduler.every(60 * 60_000, "delete old bulk updates", () => this.#deleteOld(), { alone: true });
  }

  createBulkUpdate: ErrorBulkUpdates["createBulkUpdate"] = async (request, call) => {
    const { storage, expensive, host } = this.#parts;
    const { projectId, query, status, newStatus, expectedCount } = request;
    checkNewStatus(request);
    checkIsExpected(request);
    const now = host.clock.now();
    const lastErrorId =
      request.lastErrorId === "" ? await newestError(storage, projectId) : errorRowId(request.lastErrorId);
    const wanted = { projectId, query, status, lastErrorId, except: newStatus, now };
    const found = await expensive.take(call, {
      projectId,
      advice,
      run: async (limits) => {
        await refuseUnknownTags(storage, wanted, limits);
        return matchingErrors(storage, storage.readExpensively, wanted, mostErrors + 1, limits);
      },
    });
    checkExpected({ found: found.length, expected: expectedCount, field: "expected_count" }, ["change", "changed"]);
    if (found.length > mostErrors) {
      throw invalidField("query", `More than 250,000 errors match. ${advice}`);
    }
    host.admitStoring(bytesOfError * found.length);
    const slices = slicesOf(found);
    const id = await storage.write.transaction().execute(async (transaction) => {
      await this.#makeRoom(transaction, projectId);
      const row = await transaction
        .insertInto("integrated_bulk_update")
        .values({
          project_id: projectId,
          state: CHANGING,
          query,
          status,
          new_status: newStatus,
          found_count: found.length,
          changed_count: 0,
          left_count: 0,
          restored_count: 0,
          kept_count: 0,
          slice_count: slices.length,
          next_slice: 0,
          left_errors: "[]",
          created_at: now,
          created_by: call.username ?? "",
          finished_at: null,
          undone_by: "",
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await transaction
        .insertInto("integrated_bulk_update_slice")
        .values(slices.map((slice) => ({ ...slice, project_id: projectId, bulk_update_id: row.id })))
        .execute();
      return row.id;
    });
    await this.#doNext({ projectId, bulkUpdateId: id });
    return { bulkUpdate: await this.#message({ projectId, bulkUpdateId: id }) };
  };

  getBulkUpdate: ErrorBulkUpdates["getBulkUpdate"] = async ({ projectId, bulkUpdateId }) => {
    const row = await readBulkUpdate(this.#parts.storage.read, projectId, bulkUpdateId);
    const left = JSON.parse(row.left_errors) as [id: number, isDeleted: boolean][];
    return {
      bulkUpdate: bulkUpdateToProto(row),
      leftErrors: left.map(([id, deleted]) => ({ errorId: String(id), deleted })),
    };
  };

  listBulkUpdates: ErrorBulkUpdates["listBulkUpdates"] = async (request) => {
    let found = this.#ofProject(this.#parts.storage.read, request.projectId);
    if (request.running) found = found.where("state", "in", running);
    return { bulkUpdates: (await found.execute()).map(bulkUpdateToProto) };
  };

  stopBulkUpdate: ErrorBulkUpdates["stopBulkUpdate"] = async (named) => {
    const { storage, host } = this.#parts;
    await storage.write.transaction().execute(async (transaction) => {
      const row = await lockBulkUpdate(storage, transaction, named);
      if (row.state !== CHANGING) return;
      await changeBulkUpdate(transaction, row, { state: STOPPED, finished_at: host.clock.now() });
    });
    return { bulkUpdate: await this.#message(named) };
  };

  undoBulkUpdate: ErrorBulkUpdates["undoBulkUpdate"] = async (named, call) => {
    const { storage } = this.#parts;
    await storage.write.transaction().execute(async (transaction) => {
      const row = await lockBulkUpdate(storage, transaction, named);
      if (row.state === UNDOING || row.state === UNDONE) {
        throw new ServiceError(ErrorReason.UNDO_OVER, "This bulk update was already undone.");
      }
      const undone = { state: UNDOING, finished_at: null, undone_by: call.username ?? "" };
      await changeBulkUpdate(transaction, row, undone);
    });
    await this.#doNext(named);
    return { bulkUpdate: await this.#message(named) };
  };

  /** One slice of each that runs in turn, until none has another, so that a long one keeps no short one waiting. */
  async #continue(signal: AbortSignal): Promise<void> {
    for (;;) {
      const rows = await this.#parts.storage.read
        .selectFrom("integrated_bulk_update")
        .select(["project_id", "id"])
        .where("state", "in", running)
        .orderBy("id")
        .limit(100)
        .execute();
      if (rows.length === 0) return;
      for (const { project_id: projectId, id: bulkUpdateId } of rows) {
        if (signal.aborted) return;
        await inBackground(() => this.#doNext({ projectId, bulkUpdateId }));
      }
    }
  }

  /** Changes, or undoes, the next slice. */
  async #doNext(named: Named): Promise<void> {
    const { storage, host } = this.#parts;
    const { row, changed } = await storage.write.transaction().execute(async (transaction) => {
      const locked = await lockBulkUpdate(storage, transaction, named);
      const step = { [CHANGING as number]: changeNext, [UNDOING as number]: undoNext }[locked.state];
      return { row: locked, changed: (await step?.(storage, transaction, locked, host.clock.now())) ?? [] };
    });
    this.#publish(row, changed);
  }

  #publish(row: BulkUpdateRow, changed: readonly ChangedError[]): void {
    const hashes = new Set(changed.map(({ group_hash }) => group_hash.toString("hex")));
    const by = row.state === UNDOING ? row.undone_by : row.created_by;
    this.#parts.host.errorChanges.publish(new Map([[row.project_id, hashes]]), by);
  }

  /** Refuses a further bulk update while too many run, and deletes the oldest ones beyond those that are kept. */
  async #makeRoom(transaction: Kysely<Tables>, projectId: number): Promise<void> {
    const rows = await this.#ofProject(transaction, projectId).execute();
    if (rows.filter(({ finished_at }) => finished_at === null).length >= mostRunning) {
      throw new ServiceError(
        ErrorReason.LIMIT_REACHED,
        "Three bulk updates of this project are in progress. Wait until one of them has ended, or stop one.",
      );
    }
    const ended = rows.filter(({ finished_at }) => finished_at !== null);
    await deleteBulkUpdates(transaction, ended.slice(mostKept - 1));
  }

  #ofProject(database: Kysely<Tables>, projectId: number) {
    return database
      .selectFrom("integrated_bulk_update")
      .selectAll()
      .where("project_id", "=", projectId)
      .orderBy("id", "desc");
  }

  async #deleteOld(): Promise<void> {
    const { storage, host } = this.#parts;
    const old = await storage.read
      .selectFrom("integrated_bulk_update")
      .select(["project_id", "id"])
      .where("finished_at", "<", host.deletionClock.now() - keptMs)
      .execute();
    for (const row of old) {
      await inBackground(() =>
        storage.write.transaction().execute((transaction) => deleteBulkUpdates(transaction, [row])),
      );
    }
  }

  async #message({ projectId, bulkUpdateId }: Named) {
    return bulkUpdateToProto(await readBulkUpdate(this.#parts.storage.read, projectId, bulkUpdateId));
  }
}
