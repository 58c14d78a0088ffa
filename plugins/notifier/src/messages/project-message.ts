import { NotificationTrigger } from "@faultline/proto";
import { detailOf } from "../signals/detail.ts";
import type { RuleRow, SignalRow } from "../tables.ts";
import { cleanLine, type ProjectPlace } from "@faultline/plugin/text";
import { projectSentence } from "./detail-words.ts";
import { headlineOf, isEnding, messageKindOf } from "../kinds.ts";
import type { Line, Message } from "./message.ts";

type Change = Pick<SignalRow, "notification_trigger" | "status" | "detail">;

/** The message about something that happened to a project. */
export function projectMessage(
  signal: SignalRow,
  { rule, project }: { readonly rule: RuleRow; readonly project: ProjectPlace },
): Message {
  const kind = messageKindOf(signal);
  return {
    kind,
    headline: headlineOf(signal),
    project: cleanLine(project.path, 255),
    errorId: "",
    title: projectSentence(detailOf(signal)),
    place: "",
    level: isEnding(kind) ? "info" : kind === "quota_near" ? "warning" : "error",
    facts: [],
    lines: [],
    url: pageOf(signal, project),
    rule: cleanLine(rule.name, 80),
    note: cleanLine(rule.note, 500),
    at: signal.happened_at,
    thread: threadOf(signal),
  };
}

/** The same as a line of a digest. */
export const projectLine = (change: Change, project: ProjectPlace): Line => ({
  headline: headlineOf(change),
  title: projectSentence(detailOf(change)),
  url: pageOf(change, project),
});

/** Where it can be looked into. */
function pageOf({ notification_trigger: trigger }: Change, { url }: ProjectPlace): string {
  if (trigger === NotificationTrigger.BACKEND_FAILING) return url;
  if (trigger === NotificationTrigger.CHANNEL_FAILING) {
    return url.replace(/\/error_tracking$/, "/settings/notifications");
  }
  return `${url}/ingestion`;
}

/** What happens and its end are one thread; what has no end is one of its own. */
function threadOf({ project_id: projectId, notification_trigger: trigger, id }: SignalRow): string {
  return trigger === NotificationTrigger.BACKEND_FAILING ? `${projectId}.backend` : `${projectId}.signal.${id}`;
}
