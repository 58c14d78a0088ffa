import { create } from "@bufbuild/protobuf";
import { ServiceError, type Capabilities, type Handlers, type ReadHeads } from "@faultline/plugin";
import {
  ErrorReason,
  ErrorService,
  GetEventResponseSchema,
  ListFeedbackResponseSchema,
  Permission,
  type Event,
  type UserFeedback,
} from "@faultline/proto";
import { hideSecrets } from "@faultline/sentry-event";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import type { ChangeStream } from "../../host/changes/change-stream.ts";
import { allErrors } from "./all-errors.ts";
import { getErrors } from "./get-errors.ts";
import { explainGrouping } from "./explain-grouping.ts";
import { errorProject } from "./error-project.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";
import { updateStatuses } from "./update-statuses.ts";
import { watchErrors } from "./watch-errors.ts";

/** Errors: each call goes to the backend of its project. */
export function errorService(parts: {
  projects: ProjectDirectory;
  changes: ChangeStream;
  allErrors: ReturnType<typeof allErrors>;
  errorProject: ReturnType<typeof errorProject>;
  /** By which storing groups events. Absent: by the heads that were sent. */
  readHeads: ReadHeads | undefined;
  statusChanges: StatusChangeLimit;
}): Handlers<typeof ErrorService, CoreCall> {
  const served = ({ grant, caller: { user }, signal }: CoreCall) =>
    parts.projects.backend(grant.project, { userId: user.id, username: user.username, signal });
  return {
    async listErrors(request, call) {
      const [backend, carried] = await served(call);
      return backend.listErrors(request, carried);
    },
    async listSearchValues(request, call) {
      const [backend, carried] = await served(call);
      return (await backend.listSearchValues?.(request, carried)) ?? {};
    },
    async getError(request, call) {
      const [backend, carried] = await served(call);
      return backend.getError(request, carried);
    },
    async getErrors(request, call) {
      const [backend, carried] = await served(call);
      return getErrors(backend, request, carried);
    },
    ...updateStatuses(served, parts.statusChanges),
    async getErrorCount(request, call) {
      const [backend, carried] = await served(call);
      if (!backend.getErrorCount) throw notSupported(backend.capabilities.updateMatching);
      return backend.getErrorCount(request, carried);
    },
    async previewRegrouping(request, call) {
      const [backend, carried] = await served(call);
      if (!backend.previewRegrouping) throw notSupported(backend.capabilities.explainGrouping);
      return backend.previewRegrouping(request, carried);
    },
    async listEvents(request, call) {
      const [backend, carried] = await served(call);
      return backend.listEvents(request, carried);
    },
    async getEvent(request, call) {
      const [backend, carried] = await served(call);
      const answer = create(GetEventResponseSchema, await backend.getEvent(request, carried));
      const seesSecrets = call.grant.permissions.has(Permission.ADMIN_ERROR_TRACKING);
      return seesSecrets || !answer.event ? answer : { ...answer, event: withoutSecrets(answer.event) };
    },
    async getErrorStats(request, call) {
      const [backend, carried] = await served(call);
      return backend.getErrorStats(request, carried);
    },
    async getErrorBreakdown(request, call) {
      const [backend, carried] = await served(call);
      return backend.getErrorBreakdown(request, carried);
    },
    explainGrouping: explainGrouping(served, parts.readHeads),
    async listFeedback(request, call) {
      const [backend, carried] = await served(call);
      if (!backend.listFeedback) throw notSupported(backend.capabilities.feedback);
      const answer = create(ListFeedbackResponseSchema, await backend.listFeedback(request, carried));
      if (call.grant.permissions.has(Permission.ADMIN_ERROR_TRACKING)) return answer;
      return { ...answer, feedback: answer.feedback.map(feedbackWithoutSecrets) };
    },
    async *watchErrors(request, call) {
      const [backend, carried] = await served(call);
      yield* watchErrors({ changes: parts.changes, backend }, request, carried);
    },
    listAllErrors: parts.allErrors,
    getErrorProject: parts.errorProject,
  };
}

/** Ids are digits too, and none of them is a card. */
function withoutSecrets(event: Event): Event {
  const { eventId, errorId } = event;
  return { ...hideSecrets(event), eventId, errorId };
}

function feedbackWithoutSecrets(feedback: UserFeedback): UserFeedback {
  const { eventId, errorId } = feedback;
  return { ...hideSecrets(feedback), eventId, errorId };
}

const notSupported = (capability: Capabilities["feedback"]) =>
  new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, capability?.reason ?? "");
