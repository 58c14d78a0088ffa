import type { Admission } from "@faultline/plugin";
import { OutcomeKind } from "@faultline/proto";
import type { RequestContext } from "../request-context.ts";
import type { ReadEvent } from "./items/event.ts";

/** Whether the project's filters admit an event. */
export type EventFilter = (read: ReadEvent) => boolean;

/** The filters that hold for the events of a request. Stopped events are counted with their reason. */
export function eventFilterOf({ host, request, clientIp }: RequestContext, admission: Admission): EventFilter {
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, userAgentLookedAt);
  return ({ event, sent }) => {
    const reason = host.events.filter(admission, { event, sent, clientIp, userAgent });
    if (reason === undefined) return true;
    const { projectId } = admission;
    host.events.note({ projectId, kind: OutcomeKind.FILTERED, category: "error", reason, quantity: 1 });
    return false;
  };
}

const userAgentLookedAt = 512;
