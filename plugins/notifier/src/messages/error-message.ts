import { cleanLine, type ProjectPlace } from "@faultline/plugin/text";
import { NotificationTrigger, type Error as TrackedError } from "@faultline/proto";
import { millisecondsOf } from "@faultline/plugin";
import { detailOf } from "../signals/detail.ts";
import type { RuleRow, SignalRow } from "../tables.ts";
import { detailFacts } from "./detail-words.ts";
import { headlineOf, isEnding, messageKindOf } from "../kinds.ts";
import type { Fact, Level, Line, Message } from "./message.ts";

/** The message about a change of an error. */
export function errorMessage(
  signal: SignalRow,
  parts: {
    readonly error: TrackedError;
    readonly rule: Pick<RuleRow, "name" | "note">;
    readonly project: ProjectPlace;
  },
): Message {
  const { error, rule, project } = parts;
  const kind = messageKindOf(signal);
  const thread = `${error.projectId}.${error.errorId}`;
  return {
    kind,
    headline: headlineOf(signal),
    project: cleanLine(project.path, 255),
    errorId: error.errorId,
    title: cleanLine(error.title, 200),
    place: cleanLine(error.culprit, 200),
    level: levelOf(error.level),
    facts: [...detailFacts(detailOf(signal), { isOver: isEnding(kind), by: signal.made_by }), ...factsOf(error)],
    lines: [],
    url: errorUrl(project, error.errorId),
    rule: cleanLine(rule.name, 80),
    note: cleanLine(rule.note, 500),
    at: signal.happened_at,
    // The end of a spike ends what its beginning began, and not what the error did.
    thread: signal.notification_trigger === NotificationTrigger.SPIKE ? `${thread}.spike` : thread,
  };
}

/** An error in a digest. */
export const digestLine = (
  signal: Pick<SignalRow, "notification_trigger" | "status" | "detail">,
  error: TrackedError,
  project: ProjectPlace,
): Line => ({
  headline: headlineOf(signal),
  title: cleanLine(error.title, 160),
  url: errorUrl(project, error.errorId),
});

const errorUrl = ({ url }: ProjectPlace, errorId: string) => `${url}/${errorId}/details`;

const levels: readonly Level[] = ["fatal", "error", "warning", "info", "debug"];

const levelOf = (level: string): Level => levels.find((one) => one === level) ?? "error";

function factsOf(error: TrackedError): Fact[] {
  const { level, lastRelease, firstRelease, eventCount, affectedUserCount, firstSeenTime } = error;
  const facts: Fact[] = [{ label: "Level", value: levelOf(level) }];
  if (lastRelease !== "") facts.push({ label: "Release", value: cleanLine(lastRelease, 200) });
  if (firstRelease !== "" && firstRelease !== lastRelease) {
    facts.push({ label: "First release", value: cleanLine(firstRelease, 200) });
  }
  facts.push({ label: "Events", value: String(eventCount) });
  if (affectedUserCount > 0) facts.push({ label: "Users", value: String(affectedUserCount) });
  if (firstSeenTime) {
    facts.push({ label: "First seen", value: new Date(millisecondsOf(firstSeenTime)).toISOString() });
  }
  return facts;
}
