import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  CreateDeletionRequestSchema,
  DeletionState,
  ErrorReason,
  ErrorStatus,
  GetDeletionRequestSchema,
  ListDeletionsRequestSchema,
  UndoDeletionRequestSchema,
  type Deletion,
  type DiscardEndSchema,
} from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { booleanParam, choiceParam, numberParam, textParam, type Params } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation, RestCall } from "../rest.ts";
import { idsOf, namedError, statuses, statusName } from "./errors.ts";

/** Deletes one error; it can be undone. */
export const deleteError: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { projectId, errorId } = namedError(restCall);
  const request = create(CreateDeletionRequestSchema, {
    projectId,
    target: { case: "errors", value: { errorIds: [errorId] } },
  });
  const { deletion } = await visit.host.core.deletions.createDeletion(request, call);
  return { status: 202, body: deletionBody(deletion as Deletion) };
};

/** Deletes the errors `ids`, or all that `query` and `status` find with their `expected_count`. */
export const createDeletion: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const discard = discardOf(params);
  const request = create(CreateDeletionRequestSchema, {
    projectId: projectOf(restCall).projectId,
    target: targetOf(params),
    withoutUndo: booleanParam(params, "undo") === false,
    ...(discard && { discard }),
  });
  const { deletion } = await visit.host.core.deletions.createDeletion(request, call);
  return { status: 202, body: deletionBody(deletion as Deletion) };
};

export const listDeletions: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const request = create(ListDeletionsRequestSchema, {
    projectId: projectOf(restCall).projectId,
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
  });
  const { deletions = [], nextPageToken = "" } = await visit.host.core.deletions.listDeletions(request, call);
  setCursorLinks(visit, { next: nextPageToken });
  return { status: 200, body: (deletions as Deletion[]).map(deletionBody) };
};

export const getDeletion: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(GetDeletionRequestSchema, namedDeletion(restCall));
  const { deletion } = await visit.host.core.deletions.getDeletion(request, call);
  return { status: 200, body: deletionBody(deletion as Deletion) };
};

export const undoDeletion: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(UndoDeletionRequestSchema, namedDeletion(restCall));
  const { deletion } = await visit.host.core.deletions.undoDeletion(request, call);
  return { status: 200, body: deletionBody(deletion as Deletion) };
};

function namedDeletion(restCall: RestCall): { projectId: number; deletionId: number } {
  const { projectId } = projectOf(restCall);
  return { projectId, deletionId: idInPath(restCall, "deletion_id", ErrorReason.DELETION_NOT_FOUND) };
}

/** Nothing where nothing is named: the core then says what to name. */
function targetOf(params: Params): NonNullable<MessageInitShape<typeof CreateDeletionRequestSchema>["target"]> {
  const status = choiceParam(params, "status", ["unresolved", "resolved", "ignored", "all"]);
  const query = textParam(params, "query");
  const expectedCount = numberParam(params, "expected_count");
  const isSearch = status !== undefined || query !== undefined || expectedCount !== undefined;
  if (params["ids"] !== undefined && params["ids"] !== null) {
    if (isSearch) throw badParameter("ids, query, status, expected_count", "is invalid"); // one of the two
    return { case: "errors", value: { errorIds: idsOf(params) } };
  }
  if (!isSearch) return { case: undefined };
  return {
    case: "matching",
    value: {
      query: query ?? "",
      status: status === undefined || status === "all" ? ErrorStatus.UNSPECIFIED : statuses[status],
      expectedCount: expectedCount ?? 0,
    },
  };
}

/** One end at most; `discard` alone goes on until somebody ends it. */
function discardOf(params: Params): MessageInitShape<typeof DiscardEndSchema> | undefined {
  const until = textParam(params, "discard_until");
  const after = numberParam(params, "discard_after");
  const release = textParam(params, "discard_until_release");
  const given = [until, after, release].filter((one) => one !== undefined).length;
  if (given > 1) throw badParameter("discard_until, discard_after, discard_until_release", "is invalid");
  if (booleanParam(params, "discard") === false && given > 0) throw badParameter("discard", "is invalid");
  if (until !== undefined) {
    const at = Date.parse(until);
    if (Number.isNaN(at)) throw badParameter("discard_until", "is invalid");
    return { end: { case: "time", value: timestamp(at) } };
  }
  if (after !== undefined) return { end: { case: "eventCount", value: after } };
  if (release !== undefined) return { end: { case: "release", value: release } };
  return booleanParam(params, "discard") === true ? {} : undefined;
}

const states: Readonly<Record<DeletionState, string | null>> = {
  [DeletionState.UNSPECIFIED]: null,
  [DeletionState.HIDING]: "hiding",
  [DeletionState.HIDDEN]: "hidden",
  [DeletionState.ERASING]: "erasing",
  [DeletionState.ERASED]: "erased",
  [DeletionState.RESTORING]: "restoring",
  [DeletionState.RESTORED]: "restored",
};

function deletionBody(deletion: Deletion): object {
  return {
    id: deletion.deletionId,
    project_id: deletion.projectId,
    state: states[deletion.state],
    query: deletion.allMatching ? deletion.query : null,
    status: deletion.allMatching ? (statusName(deletion.status) ?? "all") : null,
    title: deletion.title,
    found_count: deletion.foundCount,
    deleted_count: deletion.deletedCount,
    event_count: Number(deletion.eventCount),
    erased_event_count: Number(deletion.erasedEventCount),
    restored_count: deletion.restoredCount,
    superseded_count: deletion.supersededCount,
    discarded: deletion.discarded,
    created_at: isoTime(deletion.createdTime),
    created_by: deletion.createdBy,
    undo_until: isoTime(deletion.undoEndTime),
    finished_at: isoTime(deletion.finishedTime),
  };
}
