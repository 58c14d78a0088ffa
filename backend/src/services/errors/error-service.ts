import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type Handlers,
  type ReadHeads,
  millisecondsOf,
  type BackendCall,
  type ErrorBackend,
  ServiceError,
  invalidField,
} from "@faultline/plugin";
import {
  ErrorService,
  GetEventResponseSchema,
  ListFeedbackResponseSchema,
  Permission,
  type Event,
  type UserFeedback,
  type WatchErrorsRequest,
  type WatchErrorsResponseSchema,
  ErrorReason,
  GetErrorsResponseSchema,
  GetErrorRequestSchema,
  type GetErrorsRequest,
  type GetErrorsResponse,
} from "@faultline/proto";
import { hideSecrets } from "@faultline/sentry-event";
import type { CoreCall } from "../access/guard.ts";
import type { ChangeStream } from "../../host/changes/change-stream.ts";
import type { allErrors } from "./all-errors.ts";
import { forwarded, notSupported, type FindBackend } from "./forwarded.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";
import type { Grants } from "../access/grants.ts";

/** Errors. Each call goes to the backend of its project; the methods below do additional work. */
export function errorService(parts: {
  find: FindBackend;
  changes: ChangeStream;
  allErrors: ReturnType<typeof allErrors>;
  errorProject: ReturnType<typeof errorProject>;
  /** Reads the heads by which events are grouped; undefined to group by the heads that were sent. */
  readHeads: ReadHeads | undefined;
  statusChanges: StatusChangeLimit;
}): Handlers<typeof ErrorService, CoreCall> {
  const { find } = parts;
  const { method } = ErrorService;
  return {
    ...forwarded(ErrorService, find),
    async listSearchValues(request, call) {
      const [backend, carried] = await find(call);
      return (await backend.listSearchValues?.(request, carried)) ?? {};
    },
    async getErrors(request, call) {
      const [backend, carried] = await find(call);
      return getErrors(backend, request, carried);
    },
    ...updateStatuses(find, parts.statusChanges),
    async getEvent(request, call) {
      const [backend, carried] = await find(call);
      const answer = create(GetEventResponseSchema, await backend.getEvent(request, carried));
      return seesSecrets(call) || !answer.event ? answer : { ...answer, event: withoutSecrets(answer.event) };
    },
    async explainGrouping(request, call) {
      const [backend, carried] = await find(call);
      if (!backend.explainGrouping) throw notSupported(method.explainGrouping, backend);
      const show = seesSecrets(call) ? (text: string) => text : hideSecrets<string>;
      return backend.explainGrouping(request, { ...carried, read: parts.readHeads, show });
    },
    async listFeedback(request, call) {
      const [backend, carried] = await find(call);
      if (!backend.listFeedback) throw notSupported(method.listFeedback, backend);
      const answer = create(ListFeedbackResponseSchema, await backend.listFeedback(request, carried));
      return seesSecrets(call) ? answer : { ...answer, feedback: answer.feedback.map(feedbackWithoutSecrets) };
    },
    async *watchErrors(request, call) {
      const [backend, carried] = await find(call);
      yield* watchErrors({ changes: parts.changes, backend }, request, carried);
    },
    listAllErrors: parts.allErrors,
    getErrorProject: parts.errorProject,
  };
}

const seesSecrets = ({ grant }: CoreCall) => grant.permissions.has(Permission.ADMIN_ERROR_TRACKING);

/** Removes secrets from the texts of an event, but keeps its ids: they are digits too, but never card numbers. */
function withoutSecrets(event: Event): Event {
  const { eventId, errorId } = event;
  return { ...hideSecrets(event), eventId, errorId };
}

function feedbackWithoutSecrets(feedback: UserFeedback): UserFeedback {
  const { eventId, errorId } = feedback;
  return { ...hideSecrets(feedback), eventId, errorId };
}

/** Streams the errors of a project as they change. Refuses if the backend does not publish all changes. */
async function* watchErrors(
  { changes, backend }: { changes: ChangeStream; backend: ErrorBackend },
  { projectId, sinceTime, hourlyCounts }: WatchErrorsRequest,
  call: BackendCall,
): AsyncGenerator<MessageInitShape<typeof WatchErrorsResponseSchema>> {
  if (!backend.changedErrors) throw notSupported(ErrorService.method.watchErrors, backend);
  const signal = call.signal ?? new AbortController().signal;
  for await (const { keys, more } of changes.of(projectId, signal, sinceTime && millisecondsOf(sinceTime))) {
    const errors = keys.size === 0 ? [] : await backend.changedErrors({ projectId, keys, hourlyCounts }, call);
    yield { errors, more };
  }
}

/**
 * Finds the project of an error that is stored here. An error that the caller may not read looks like a missing error.
 */
export function errorProject(parts: {
  backends: readonly ErrorBackend[];
  grants: Grants;
}): Handlers<typeof ErrorService, CoreCall>["getErrorProject"] {
  return async ({ errorId }, { caller }) => {
    for (const backend of parts.backends) {
      const projectId = (await backend.errorProject?.(errorId)) ?? 0;
      // Queried for a missing error too: otherwise the response time would distinguish it from a hidden error.
      const grant = await parts.grants.of(caller.user, projectId).catch(unlessHidden);
      if (grant?.permissions.has(Permission.READ_ERROR_TRACKING)) return { projectId };
    }
    throw new ServiceError(
      ErrorReason.ERROR_NOT_FOUND,
      "This error does not exist, or you do not have access to its project.",
    );
  };
}

function unlessHidden(refusal: unknown): undefined {
  if (refusal instanceof ServiceError && refusal.reason === ErrorReason.PROJECT_NOT_FOUND) return undefined;
  throw refusal;
}

/** See UpdateMatchingErrorsResponse.undo. */
const mostMatching = 1_000;

/** Changes of status: each call goes to the backend of its project, within the limit of its person. */
function updateStatuses(
  find: FindBackend,
  limit: StatusChangeLimit,
): Pick<Handlers<typeof ErrorService, CoreCall>, "updateErrors" | "updateMatchingErrors"> {
  return {
    async updateErrors(request, call) {
      const [backend, carried] = await find(call);
      const isUndo = request.ifChangedTime !== undefined;
      const changes = { userId: call.caller.user.id, count: request.changes.length, isUndo };
      return limit.within(changes, () => backend.updateErrors(request, carried));
    },
    async updateMatchingErrors(request, call) {
      const [backend, carried] = await find(call);
      const update = backend.updateMatchingErrors?.bind(backend);
      if (!update) throw notSupported(ErrorService.method.updateMatchingErrors, backend);
      const changes = { userId: call.caller.user.id, count: mostMatching };
      return limit.within(
        changes,
        () => update(request, carried),
        ({ undo = [] }) => undo.length,
      );
    },
  };
}

/** Reads errors by their ids. A backend that cannot read several in a single step reads them one after another. */
async function getErrors(
  backend: ErrorBackend,
  request: GetErrorsRequest,
  call: BackendCall,
): Promise<GetErrorsResponse> {
  const { projectId, errorIds, query } = request;
  if (errorIds.length === 0 || errorIds.length > 100) throw invalidField("error_ids", "Name 1 to 100 errors.");
  if (backend.getErrors) return create(GetErrorsResponseSchema, await backend.getErrors(request, call));
  if (query !== "") {
    throw new ServiceError(
      ErrorReason.NOT_SUPPORTED_BY_BACKEND,
      "The external system cannot check individual errors against a search. Leave out the query.",
    );
  }
  const errors = [];
  for (const errorId of [...new Set(errorIds)].toSorted(byNumber)) {
    const asked = create(GetErrorRequestSchema, { projectId, errorId });
    const { error } = await backend.getError(asked, call).catch(unlessNotFound);
    if (error) errors.push(error);
  }
  return create(GetErrorsResponseSchema, { errors });
}

/** Compares ids, which are numbers that may exceed JavaScript's integers. */
const byNumber = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1);

function unlessNotFound(refusal: unknown): { error?: undefined } {
  if (refusal instanceof ServiceError && refusal.reason === ErrorReason.ERROR_NOT_FOUND) return {};
  throw refusal;
}
