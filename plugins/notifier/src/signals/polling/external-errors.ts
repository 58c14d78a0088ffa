import { hourMs, millisecondsOf } from "@faultline/plugin";
import { Backend, ErrorService, ErrorSort, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { nothing, stateOf, type Found, type Look, type Poll } from "./look.ts";

const subject = "external errors";
const pageSize = 100;

/**
 * Errors appear with a short delay in an external system's list, so each look overlaps the previous look by this time.
 */
const overlapMs = hourMs;

/** Ids that are remembered: more than a page, so that an overlap reports no error twice. */
const idsKept = 300;

interface State {
  /** Older errors existed before. */
  readonly since: number;
  readonly ids: readonly string[];
}

/** New errors of an external system, which reports no transitions. The state lists the seen errors. */
export const externalErrorPoll: Poll = { triggers: [NotificationTrigger.CREATED], look: lookForErrors };

async function lookForErrors(look: Look): Promise<Found> {
  const { host, projectId, backend, now, signal } = look;
  if (backend !== Backend.EXTERNAL) return nothing;
  const asked = { projectId, sort: ErrorSort.FIRST_SEEN, pageSize };
  const { errors, staleSinceTime } = await host.invoke(ErrorService.method.listErrors, asked, signal);
  if (staleSinceTime) return nothing;
  const state = stateOf<State>(look, subject);
  const seen = new Set(state?.ids);
  const since = state?.since ?? now;
  const fresh = errors.flatMap(({ errorId, firstSeenTime, status }) => {
    const at = firstSeenTime ? millisecondsOf(firstSeenTime) : 0;
    return at > since && !seen.has(errorId) ? [{ errorId, at, status }] : [];
  });
  if (state && fresh.length === 0) return nothing;
  const ids = state ? [...fresh.map(({ errorId }) => errorId), ...state.ids].slice(0, idsKept) : [];
  return {
    signals: fresh.map(({ errorId, at }) => ({
      project_id: projectId,
      error_id: errorId,
      notification_trigger: NotificationTrigger.CREATED,
      status: ErrorStatus.UNRESOLVED,
      happened_at: at,
      detail: {},
    })),
    states: new Map([
      [subject, { since: Math.max(since, Math.min(now, ...fresh.map(({ at }) => at)) - overlapMs), ids }],
    ]),
  };
}
