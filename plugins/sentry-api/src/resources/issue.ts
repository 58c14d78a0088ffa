import { hourMs, invalidField, millisecondsOf, timestamp } from "@faultline/plugin";
import type { ApiCall, Resource } from "../call.ts";
import { issueNotFound, namedIssue, readError } from "../served-issue.ts";
import { emptyDetails, issueShape } from "../shapes/issue.ts";
import { daily, hourlyStats, points } from "../stats.ts";
import { statusOf } from "../status.ts";

/** An issue with the counts of the last day and the last 30 days. */
export const readIssue: Resource = async (call) => {
  const issue = await namedIssue(call);
  const error = await readError(call, issue);
  const hourly = await hourlyStats(call, error, 30 * 24);
  const stats = { "24h": hourly.slice(-24), "30d": daily(hourly) };
  return { status: 200, body: { ...issueShape(error, { ...issue, origin: call.origin }), ...emptyDetails, stats } };
};

/** Sets the status of an issue and returns the updated issue. */
export const updateIssue: Resource = async (call) => {
  const status = statusOf(call);
  const { errorId, project } = await namedIssue(call);
  const request = { projectId: project.projectId, changes: [{ errorId, status }] };
  const { errors } = await call.core.errors.updateErrors(request, call);
  const [error] = errors;
  if (!error) throw issueNotFound();
  return { status: 200, body: issueShape(error, { project, origin: call.origin }) };
};

/** Events per hour within a window: `since` and `until` in seconds since 1970, by default the last day. */
export const readIssueStats: Resource = async (call) => {
  const { errorId, project } = await namedIssue(call);
  const resolution = call.query.get("resolution") || "1h";
  if (resolution !== "1h" && resolution !== "3600s") {
    throw invalidField("resolution", "Invalid resolution: only 1h is served.");
  }
  const untilMs = secondsOf(call, "until") ?? call.now;
  const sinceMs = secondsOf(call, "since") ?? untilMs - 24 * hourMs + 1000;
  if (sinceMs > untilMs) throw invalidField("since", "start must be before or equal to end");
  const firstHour = Math.floor(sinceMs / hourMs);
  const request = {
    projectId: project.projectId,
    errorId,
    startTime: timestamp(firstHour * hourMs),
    hourCount: Math.min(Math.floor(untilMs / hourMs) - firstHour + 1, 2 ** 31), // the core refuses too many
  };
  const stats = await call.core.errors.getErrorStats(request, call);
  const startMs = stats.startTime ? millisecondsOf(stats.startTime) : 0;
  return { status: 200, body: points(stats.counts, { startMs, spanMs: hourMs }) };
};

function secondsOf({ query }: ApiCall, name: "since" | "until"): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  if (!/^\d{1,11}(\.\d{1,9})?$/.test(text)) throw invalidField(name, `${name} must be a numeric timestamp.`);
  return Number(text) * 1000;
}
