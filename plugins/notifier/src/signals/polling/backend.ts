import { ServiceError } from "@faultline/plugin";
import { Backend, ErrorService, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { stepFailures, type Failures } from "../failing.ts";
import { nothing, stateOf, type Found, type Look, type Poll } from "./look.ts";

const subject = "backend";

/** The external system of a project. Its state is how often it failed in a row. */
export const backendPoll: Poll = { triggers: [NotificationTrigger.BACKEND_FAILING], look: lookAtBackend };

async function lookAtBackend(look: Look): Promise<Found> {
  const { host, projectId, backend, now, signal } = look;
  if (backend !== Backend.EXTERNAL) return nothing;
  const reason = await host.invoke(ErrorService.method.listErrors, { projectId, pageSize: 1 }, signal).then(
    ({ staleSinceTime }) => (staleSinceTime ? "It cannot be reached." : ""),
    (failure: unknown) => {
      if (failure instanceof ServiceError) return failure.message;
      throw failure;
    },
  );
  const before = stateOf<Failures>(look, subject);
  const { failures, report } = stepFailures(before, { isFailure: reason !== "", now });
  return {
    signals:
      report === undefined
        ? []
        : [
            {
              project_id: projectId,
              error_id: "",
              notification_trigger: NotificationTrigger.BACKEND_FAILING,
              status: ErrorStatus.UNSPECIFIED,
              happened_at: now,
              detail: {
                failing: { since: (failures ?? before)?.since ?? now, reason },
                ...(report === "recovered" && { isOver: true as const }),
              },
            },
          ],
    ...((before || failures) && { states: new Map([[subject, failures]]) }),
  };
}
