import { millisecondsOf, noticeLimits } from "@faultline/plugin";
import { cleanLine, type ProjectPlace } from "@faultline/plugin/text";
import { type Error as TrackedError, NotificationTrigger } from "@faultline/proto";
import { headlineOf, isEnding, messageKindOf } from "../kinds.ts";
import type { Fact, Level, Line, Message } from "./message.ts";
import { detailOf, type SignalDetail } from "../signal-detail.ts";
import type { RuleRow, SignalRow } from "../tables.ts";

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
    // The end of a spike belongs to the thread of its beginning, not to the thread of the error.
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

/** The same message as a line of a digest. */
export const projectLine = (change: Change, project: ProjectPlace): Line => ({
  headline: headlineOf(change),
  title: projectSentence(detailOf(change)),
  url: pageOf(change, project),
});

/** The page for further investigation. */
function pageOf({ notification_trigger: trigger }: Change, { url }: ProjectPlace): string {
  if (trigger === NotificationTrigger.BACKEND_FAILING) return url;
  if (trigger === NotificationTrigger.CHANNEL_FAILING) {
    return url.replace(/\/error_tracking$/, "/settings/notifications");
  }
  return `${url}/ingestion`;
}

/** The beginning and the end of a failure share a thread. Every other signal has a separate thread. */
function threadOf({ project_id: projectId, notification_trigger: trigger, id }: SignalRow): string {
  return trigger === NotificationTrigger.BACKEND_FAILING ? `${projectId}.backend` : `${projectId}.signal.${id}`;
}

/** The detail of a signal, as facts of its message. */
function detailFacts(
  { spike, milestone, release, value, notice }: SignalDetail,
  { isOver, by }: { isOver: boolean; by: string },
): Fact[] {
  if (spike) {
    const { count, unit, minutes } = spike;
    return [{ label: isOver ? "At most" : "Counted", value: `${count} ${unit} in ${duration(minutes)}` }];
  }
  if (milestone !== undefined) return [{ label: "Reached", value: `${milestone.toLocaleString("en")} events` }];
  if (release !== undefined) return [{ label: "Release", value: cleanLine(release, 200) }];
  if (value) return [{ label: "New", value: cleanLine(`${value.name || value.kind} ${value.value}`, 200) }];
  if (notice) {
    const facts = [
      { label: "By", value: cleanLine(by, 255) },
      { label: "Text", value: cleanLine(notice.text, noticeLimits.textLength) },
    ];
    return facts.filter((fact) => fact.value !== "");
  }
  return [];
}

/** A sentence about an event in a project. */
function projectSentence({ refused, quota, failing, channel, isOver }: SignalDetail): string {
  if (refused) {
    const counts = refused.map(({ reason, count }) => `${count} by ${refusals[reason] ?? reason}`);
    return `In this hour ${counts.join(", ")}.`;
  }
  if (quota) {
    const { of, bytes, limitBytes } = quota;
    const percent = Math.floor((100 * bytes) / limitBytes);
    const what = of === "day" ? "that can be received per day" : "that can be kept";
    return `${megabytes(bytes)} of the ${megabytes(limitBytes)} ${what} (${percent} %).`;
  }
  if (failing) {
    const since = new Date(failing.since).toISOString();
    return isOver
      ? `It had been failing since ${since}.`
      : `It has been failing since ${since}. ${cleanLine(failing.reason, 300)}`;
  }
  if (channel) return `${cleanLine(channel.name, 80)}: ${cleanLine(channel.reason, 300)}`;
  return "";
}

/** The reasons for refusals of events, in words. */
const refusals: Readonly<Record<string, string>> = {
  rate_limit: "the rate limit",
  quota: "a limit of the project",
  key_limit: "the limit of a client key",
  key_disabled: "a disabled client key",
  not_active: "error tracking, which is off",
  monitor_off: "the Monitor feature, which is off",
  external_backend: "the external backend, which accepts no events here",
  origin: "the origins of a client key",
  too_large: "their size",
};

function duration(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  return minutes === 60 ? "1 hour" : `${minutes / 60} hours`;
}

const megabytes = (bytes: number): string =>
  `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
