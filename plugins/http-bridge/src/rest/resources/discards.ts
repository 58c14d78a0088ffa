import { create } from "@bufbuild/protobuf";
import { EndDiscardRequestSchema, ErrorReason, ListDiscardsRequestSchema, type Discard } from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation } from "../rest.ts";

export const listDiscards: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const request = create(ListDiscardsRequestSchema, {
    projectId: projectOf(restCall).projectId,
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
  });
  const { discards = [], nextPageToken = "" } = await visit.host.core.deletions.listDiscards(request, call);
  setCursorLinks(visit, { next: nextPageToken });
  return {
    status: 200,
    body: (discards as Discard[]).map((discard) => ({
      ...discardBody(discard),
      hourly_counts: discard.hourlyCounts,
      samples: discard.samples.map(({ receivedTime, eventId, payload }) => ({
        received_at: isoTime(receivedTime),
        event_id: eventId,
        payload,
      })),
    })),
  };
};

/** Records the events again. */
export const endDiscard: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const discardId = idInPath(restCall, "discard_id", ErrorReason.DELETION_NOT_FOUND);
  const request = create(EndDiscardRequestSchema, { projectId: projectOf(restCall).projectId, discardId });
  const { discard } = await visit.host.core.deletions.endDiscard(request, call);
  return { status: 200, body: discardBody(discard as Discard) };
};

function discardBody(discard: Discard): object {
  const end = discard.end?.end;
  return {
    id: discard.discardId,
    project_id: discard.projectId,
    title: discard.title,
    culprit: discard.culprit,
    level: discard.level,
    created_at: isoTime(discard.createdTime),
    created_by: discard.createdBy,
    until: end?.case === "time" ? isoTime(end.value) : null,
    after: end?.case === "eventCount" ? end.value : null,
    until_release: end?.case === "release" ? end.value : null,
    ended_at: isoTime(discard.endedTime),
    stopped_count: Number(discard.stoppedCount),
    last_stopped_at: isoTime(discard.lastStoppedTime),
  };
}
