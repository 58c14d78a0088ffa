import {
  checkExpected,
  checkIsExpected,
  checkNewStatus,
  errorRowId,
  hourMs,
  invalidField,
  searchByKey,
  ServiceError,
  type AdmittedCall,
  type ChangedError,
  type Handlers,
  type Host,
} from "@faultline/plugin";
import { inBackground } from "@faultline/plugin/flow";
import { BulkUpdateState, ErrorReason, type BulkUpdateService, type CreateBulkUpdateRequest } from "@faultline/proto";
import type { Kysely } from "kysely";
import {
  bulkUpdateToProto,
  changeBulkUpdate,
  deleteBulkUpdates,
  lockBulkUpdate,
  readBulkUpdate,
  running,
  type BulkUpdateRow,
  type Tables,
} from "./bulk-update-rows.ts";
import { changeNext, sliceErrors, slicesOf, undoNext } from "./slices.ts";

/** The interval at which due work is looked for. */
const lookEachMs = 1_000;

/** Maximum errors of one bulk update. Their ids take some 2 MB. */
const mostErrors = 250_000;

/** Bytes of the id and former status of an error in a bulk update. */
const bytesOfError = 16;

/** Maximum bulk updates of a project that run at a time. */
const mostRunning = 3;

/** Maximum ended bulk updates of a project that are kept for an undo. */
const mostKept = 50;

/** How long ended bulk updates are kept. */
const keptMs = 24 * hourMs;

const { CHANGING, STOPPED, UNDOING, UNDONE } = BulkUpdateState;

type Service = Handlers<typeof BulkUpdateService, AdmittedCall>;

interface Named {
  readonly projectId: number;
  readonly bulkUpdateId: number;
}

/**
 * Changes the status of all errors that match a search. A new bulk update stores their ids in slices of a thousand.
 * Each slice is changed in the transaction that stores the former statuses, so that after a kill the next process
 * continues with the next slice and an undo has all former statuses.
 */
export class BulkUpdates implements Service {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  start(): void {
    const { scheduler } = this.#host;
    scheduler.every(lookEachMs, "update errors in bulk", (signal) => this.#continue(signal), { alone: true });
    scheduler.every(hourMs, "delete old bulk updates", () => this.#deleteOld(), { alone: true });
  }

  createBulkUpdate: Service["createBulkUpdate"] = async (request, call) => {
    const userId = call.caller.user.id;
    // Later slices are changed in the background, in turns. An undo is free because it is possible only once.
    const changes = { userId, count: Math.min(request.expectedCount, sliceErrors) };
    return this.#host.statusChanges.within(changes, async () => {
      const named = await this.#create(request, call);
      await this.#doNext(named);
      return { bulkUpdate: await this.#message(named) };
    });
  };

  getBulkUpdate: Service["getBulkUpdate"] = async ({ projectId, bulkUpdateId }) => {
    const row = await readBulkUpdate(this.#read, projectId, bulkUpdateId);
    const left = JSON.parse(row.left_errors) as [id: number, isDeleted: boolean][];
    return {
      bulkUpdate: bulkUpdateToProto(row),
      leftErrors: left.map(([id, deleted]) => ({ errorId: String(id), deleted })),
    };
  };

  listBulkUpdates: Service["listBulkUpdates"] = async (request) => {
    let found = this.#ofProject(this.#read, request.projectId);
    if (request.running) found = found.where("state", "in", running);
    return { bulkUpdates: (await found.execute()).map(bulkUpdateToProto) };
  };

  stopBulkUpdate: Service["stopBulkUpdate"] = async (named) => {
    await this.#change(named, async (transaction, row) => {
      if (row.state !== CHANGING) return;
      await changeBulkUpdate(transaction, row, { state: STOPPED, finished_at: this.#host.clock.now() });
    });
    return { bulkUpdate: await this.#message(named) };
  };

  undoBulkUpdate: Service["undoBulkUpdate"] = async (named, call) => {
    await this.#change(named, async (transaction, row) => {
      if (row.state === UNDOING || row.state === UNDONE) {
        throw new ServiceError(ErrorReason.UNDO_OVER, "This bulk update was already undone.");
      }
      const undone = { state: UNDOING, finished_at: null, undone_by: call.caller.user.username };
      await changeBulkUpdate(transaction, row, undone);
    });
    await this.#doNext(named);
    return { bulkUpdate: await this.#message(named) };
  };

  /** Stores a bulk update of the errors that match now. */
  async #create(request: CreateBulkUpdateRequest, { caller, signal }: AdmittedCall): Promise<Named> {
    const { storedErrors, clock, admitStoring } = this.#host;
    const { projectId, query, status, newStatus, expectedCount } = request;
    checkNewStatus(request);
    checkIsExpected(request);
    const now = clock.now();
    const lastErrorId =
      request.lastErrorId === "" ? await storedErrors.newest(projectId) : errorRowId(request.lastErrorId);
    const found = await storedErrors.find(
      { projectId, query, status, lastErrorId, except: newStatus, now },
      { most: mostErrors + 1, advice: searchByKey, userId: caller.user.id, signal },
    );
    checkExpected({ found: found.length, expected: expectedCount, field: "expected_count" }, ["change", "changed"]);
    if (found.length > mostErrors) {
      throw invalidField("query", `More than 250,000 errors match. ${searchByKey}`);
    }
    admitStoring(bytesOfError * found.length);
    const slices = slicesOf(found);
    return this.#write.transaction().execute(async (transaction) => {
      await this.#makeRoom(transaction, projectId);
      const { id: bulkUpdateId } = await transaction
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
          created_by: caller.user.username,
          finished_at: null,
          undone_by: "",
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await transaction
        .insertInto("integrated_bulk_update_slice")
        .values(slices.map((slice) => ({ ...slice, project_id: projectId, bulk_update_id: bulkUpdateId })))
        .execute();
      return { projectId, bulkUpdateId };
    });
  }

  /**
   * Changes one slice of each bulk update in turn until none is left, so that long updates do not delay short updates.
   */
  async #continue(signal: AbortSignal): Promise<void> {
    for (;;) {
      const rows = await this.#read
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

  /** Changes or undoes the next slice. */
  async #doNext(named: Named): Promise<void> {
    const { storedErrors, clock } = this.#host;
    const { row, changed } = await this.#change(named, async (transaction, locked) => {
      const step = { [CHANGING as number]: changeNext, [UNDOING as number]: undoNext }[locked.state];
      return { row: locked, changed: (await step?.(storedErrors, transaction, locked, clock.now())) ?? [] };
    });
    this.#publish(row, changed);
  }

  #publish(row: BulkUpdateRow, changed: readonly ChangedError[]): void {
    const keys = new Set(changed.map(({ key }) => key));
    const by = row.state === UNDOING ? row.undone_by : row.created_by;
    this.#host.errorChanges.publish(new Map([[row.project_id, keys]]), by);
  }

  /** Runs a change of a bulk update in a transaction that locks its row. */
  #change<T>(named: Named, change: (transaction: Kysely<Tables>, row: BulkUpdateRow) => Promise<T>): Promise<T> {
    return this.#write.transaction().execute(async (transaction) => {
      return change(transaction, await lockBulkUpdate(this.#host.database.kind, transaction, named));
    });
  }

  /** Refuses another bulk update while too many run, and deletes the oldest bulk updates beyond the limit. */
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
    const old = await this.#read
      .selectFrom("integrated_bulk_update")
      .select(["project_id", "id"])
      .where("finished_at", "<", this.#host.deletionClock.now() - keptMs)
      .execute();
    for (const row of old) {
      await inBackground(() =>
        this.#write.transaction().execute((transaction) => deleteBulkUpdates(transaction, [row])),
      );
    }
  }

  async #message({ projectId, bulkUpdateId }: Named) {
    return bulkUpdateToProto(await readBulkUpdate(this.#read, projectId, bulkUpdateId));
  }

  get #read(): Kysely<Tables> {
    return this.#host.database.read<Tables>();
  }

  get #write(): Kysely<Tables> {
    return this.#host.database.write<Tables>();
  }
}
