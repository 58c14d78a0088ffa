import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  checkExpected,
  checkIsExpected,
  checkNewStatus,
  checkSearchedStatus,
  checkStatusChanges,
  errorRowId,
  millisecondsOf,
  searchByKey,
  timestamp,
  type Actor,
  type BackendCall,
  type BoundedSearch,
  type FoundError,
  type MatchingErrors,
} from "@faultline/plugin";
import {
  type ErrorStatus,
  UpdateErrorsRequestSchema,
  type GetErrorCountRequest,
  type GetErrorCountResponseSchema,
  type UpdateMatchingErrorsRequest,
  type UpdateMatchingErrorsResponseSchema,
  type UpdateErrorsRequest,
} from "@faultline/proto";
import { countMatching, matchingErrors, nextMatching } from "../search/matching-errors.ts";
import { withSettledLastSeen } from "../lists/errors.ts";
import { refuseUnknownTags } from "../search/unknown-tags.ts";
import type { ExpensiveReads } from "../expensive-reads.ts";
import type { Storage } from "../storage.ts";
import type { ErrorRow } from "../lists/to-proto.ts";
import { changeStatuses, existing } from "./change-statuses.ts";

/** Errors changed in one transaction, which holds the one writer of SQLite for some tens of milliseconds. */
const sliceErrors = 1_000;

interface Parts {
  readonly storage: Storage;
  readonly expensive: ExpensiveReads;
}

/** The number of errors that match, and the newest error of the project. */
export async function countErrors(
  parts: Parts,
  request: GetErrorCountRequest,
  { now, call }: { now: number; call: BackendCall },
): Promise<MessageInitShape<typeof GetErrorCountResponseSchema>> {
  checkSearchedStatus("status", request.status);
  const lastErrorId = await newestError(parts.storage, request.projectId);
  return { count: await count(parts, { ...request, lastErrorId, now }, call), lastErrorId: String(lastErrorId) };
}

/** See StoredErrors.find. */
export function findErrors(
  { storage, expensive }: Parts,
  wanted: MatchingErrors,
  { most, advice, ...call }: BoundedSearch,
): Promise<readonly FoundError[]> {
  return expensive.take(call, {
    projectId: wanted.projectId,
    advice,
    async run(limits) {
      await refuseUnknownTags(storage, wanted, limits);
      return matchingErrors(storage, storage.readExpensively, wanted, most, limits);
    },
  });
}

/** Sets the status of the next errors that match. */
export async function updateMatching(
  parts: Parts,
  request: UpdateMatchingErrorsRequest,
  { now, call }: { now: number; call: BackendCall },
): Promise<Updated & { readonly answer: MessageInitShape<typeof UpdateMatchingErrorsResponseSchema> }> {
  const { storage, expensive } = parts;
  const { projectId, query, status, newStatus } = request;
  checkNewStatus(request);
  const isFirst = request.lastErrorId === "";
  if (isFirst) checkIsExpected(request);
  const lastErrorId = isFirst ? await newestError(storage, projectId) : errorRowId(request.lastErrorId);
  const wanted = { projectId, query, status, lastErrorId, except: newStatus, now };
  if (isFirst) {
    const found = await count(parts, wanted, call);
    checkExpected({ found, expected: request.expectedCount, field: "expected_count" }, ["change", "changed"]);
  }
  // Read without the writer, because a search may take longer than events should wait.
  const ids = await expensive.take(call, {
    projectId,
    advice: searchByKey,
    run: (limits) => nextMatching(storage, storage.readExpensively, wanted, sliceErrors, limits),
  });
  if (ids.length === 0) return { errors: [], before: [], notFound: [], answer: {} };
  const changes = ids.map((id) => ({ errorId: String(id), status: newStatus }));
  const actor = { by: call.username ?? "", at: now };
  const updated = await updateErrors(storage, create(UpdateErrorsRequestSchema, { projectId, changes }), actor);
  return {
    ...updated,
    answer: {
      undo: updated.before.map((error) => ({ errorId: String(error.id), status: error.status })),
      changedTime: timestamp(now),
      lastErrorId: ids.length === sliceErrors ? String(lastErrorId) : "",
    },
  };
}

function count({ storage, expensive }: Parts, wanted: MatchingErrors, call: BackendCall): Promise<number> {
  return expensive.take(call, {
    projectId: wanted.projectId,
    advice: searchByKey,
    run: (limits) => countMatching(storage, wanted, limits),
  });
}

/** The row id of the newest error of a project, or 0 if it has none. */
export async function newestError({ read }: Storage, projectId: number): Promise<number> {
  const newest = await read
    .selectFrom("integrated_error")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return newest?.id ?? 0;
}

/** The result of an update: the errors after it, and the former status of each. */
interface Updated {
  readonly errors: readonly ErrorRow[];
  readonly before: readonly { readonly id: number; readonly status: ErrorStatus }[];
  /** The ids that do not name an error of the project. */
  readonly notFound: string[];
}

/** Sets statuses in one transaction. */
export async function updateErrors(storage: Storage, request: UpdateErrorsRequest, actor: Actor): Promise<Updated> {
  const { changes, projectId, ifChangedTime } = request;
  checkStatusChanges(changes);
  // Texts that do not name an error all map to row 0, which does not exist.
  const wanted = new Map(changes.map(({ errorId, status }) => [errorRowId(errorId), status]));
  const only = ifChangedTime && { changedAt: millisecondsOf(ifChangedTime) };
  return storage.write.transaction().execute(async (transaction) => {
    const before = await changeStatuses(storage, transaction, { projectId, wanted, only, actor });
    const known = only
      ? await existing(transaction, projectId, [...wanted.keys()])
      : new Set(before.map(({ id }) => id));
    const notFound = changes.map(({ errorId }) => errorId).filter((errorId) => !known.has(errorRowId(errorId)));
    if (before.length === 0) return { errors: [], before, notFound };
    const errors = await withSettledLastSeen(storage.dialect, transaction, actor.at)
      .where("project_id", "=", projectId)
      .where(
        "id",
        "in",
        before.map(({ id }) => id),
      )
      .execute();
    const isThere = new Set(errors.map(({ id }) => id)); // another process deleted the others meanwhile
    return { errors, before: before.filter(({ id }) => isThere.has(id)), notFound };
  });
}
