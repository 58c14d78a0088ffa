import { create } from "@bufbuild/protobuf";
import type { Handlers, ReadHeads } from "@faultline/plugin";
import {
  ErrorService,
  GetEventResponseSchema,
  ListFeedbackResponseSchema,
  Permission,
  type Event,
  type UserFeedback,
} from "@faultline/proto";
import { hideSecrets } from "@faultline/sentry-event";
import type { CoreCall } from "../access/guard.ts";
import type { ChangeStream } from "../../host/changes/change-stream.ts";
import type { allErrors } from "./all-errors.ts";
import { getErrors } from "./get-errors.ts";
import { forwarded, notSupported, type FindBackend } from "./forwarded.ts";
import type { errorProject } from "./error-project.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";
import { updateStatuses } from "./update-statuses.ts";
import { watchErrors } from "./watch-errors.ts";

/** Errors: each call goes to the backend of its project. The methods below do more than that. */
export function errorService(parts: {
  find: FindBackend;
  changes: ChangeStream;
  allErrors: ReturnType<typeof allErrors>;
  errorProject: ReturnType<typeof errorProject>;
  /** By which storing groups events. Absent: by the heads that were sent. */
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

/** Ids are digits too, and none of them is a card. */
function withoutSecrets(event: Event): Event {
  const { eventId, errorId } = event;
  return { ...hideSecrets(event), eventId, errorId };
}

function feedbackWithoutSecrets(feedback: UserFeedback): UserFeedback {
  const { eventId, errorId } = feedback;
  return { ...hideSecrets(feedback), eventId, errorId };
}
