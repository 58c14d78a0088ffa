import {
  badParameter,
  byCursor,
  choiceParam,
  cursorOf,
  cursorPage,
  inline,
  isoTime,
  numberParam,
  operation,
  orNull,
  part,
  positive,
  shape,
  text,
  time,
} from "@faultline/plugin/rest";
import { AuditService, type AuditEvent } from "@faultline/proto";

const details = inline<AuditEvent>("Details of the act.", {
  custom_message: [text("The act, in a sentence."), ({ summary }) => summary],
  author_name: [text("The user name of the author."), ({ username }) => username],
  entity_path: [orNull(text("The project's path at that time.")), ({ projectPath }) => projectPath || null],
  personal_access_token_id: [
    orNull(positive("The token that was used; null: a session.")),
    ({ tokenId }) => tokenId || null,
  ],
});

/** Shaped like the original; `entity` is the project if the act concerned a project. */
const auditEvent = shape<AuditEvent>("AuditEvent", "An administrative act.", {
  id: [positive("The entry."), ({ auditEventId }) => Number(auditEventId)],
  author_id: [orNull(positive("Who did it; null: the service itself.")), ({ userId }) => userId || null],
  entity_id: [orNull(positive("The project it concerned.")), ({ projectId }) => projectId || null],
  entity_type: [
    { type: ["string", "null"], enum: ["Project", null], description: "What `entity_id` names." },
    ({ projectId }) => (projectId === 0 ? null : "Project"),
  ],
  event_name: [text("The method, such as `ClientKeyService.DeleteClientKey`."), ({ method }) => method],
  details: part(details, (event) => event),
  created_at: [time("When."), (event) => isoTime(event.time)],
});

export const listAuditEvents = operation(AuditService.method.listAuditEvents, "GET /audit_events", {
  tag: "Installation",
  summary: "List administrative acts",
  params: {
    author_id: numberParam("Only those of this user."),
    entity_type: choiceParam("Together with `entity_id`.", ["Project"]),
    entity_id: numberParam("Only those in this project."),
    pagination: choiceParam("The form of pagination.", ["keyset"]),
    order_by: choiceParam("The order.", ["id"]),
    sort: choiceParam("Its direction.", ["desc"]),
    ...byCursor,
  },
  answer: cursorPage("The acts, the newest first.", auditEvent),
  async run({ params, invoke }) {
    const { author_id: userId = 0, entity_type: type, entity_id: projectId } = params;
    if (projectId !== undefined && type === undefined) throw badParameter("entity_type", "is missing");
    if (type !== undefined && projectId === undefined) throw badParameter("entity_id", "is missing");
    const response = await invoke({ userId, projectId: projectId ?? 0, ...cursorOf(params) });
    return { items: response.auditEvents, next: response.nextPageToken };
  },
});
