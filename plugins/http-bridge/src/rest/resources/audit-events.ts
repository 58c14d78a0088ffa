import { create } from "@bufbuild/protobuf";
import { ListAuditEventsRequestSchema, type AuditEvent } from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { choiceParam, numberParam, textParam, type Params } from "../params.ts";
import type { Operation } from "../rest.ts";

/** Administrative acts, the newest first; `entity_type=Project` with `entity_id` asks for those in one project. */
export const listAuditEvents: Operation = async ({ visit, call, params }) => {
  choiceParam(params, "pagination", ["keyset"]);
  choiceParam(params, "order_by", ["id"]);
  choiceParam(params, "sort", ["desc"]);
  const request = create(ListAuditEventsRequestSchema, {
    userId: numberParam(params, "author_id") ?? 0,
    projectId: projectIdOf(params),
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
  });
  const { auditEvents = [], nextPageToken = "" } = await visit.host.core.audit.listAuditEvents(request, call);
  setCursorLinks(visit, { next: nextPageToken });
  return { status: 200, body: (auditEvents as AuditEvent[]).map(auditEventBody) };
};

function projectIdOf(params: Params): number {
  const type = choiceParam(params, "entity_type", ["Project"]);
  const id = numberParam(params, "entity_id");
  if (id !== undefined && type === undefined) throw badParameter("entity_type", "is missing");
  if (type !== undefined && id === undefined) throw badParameter("entity_id", "is missing");
  return id ?? 0;
}

/** Shaped as in the original; `entity` is the project, where the act concerned one. */
function auditEventBody(event: AuditEvent): object {
  const isInProject = event.projectId !== 0;
  return {
    id: Number(event.auditEventId),
    author_id: event.userId || null,
    entity_id: isInProject ? event.projectId : null,
    entity_type: isInProject ? "Project" : null,
    event_name: event.method,
    details: {
      custom_message: event.summary,
      author_name: event.username,
      entity_path: event.projectPath || null,
      personal_access_token_id: event.tokenId || null,
    },
    created_at: isoTime(event.time),
  };
}
