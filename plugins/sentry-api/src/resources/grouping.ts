import { pathPart, type ApiCall, type Resource } from "../call.ts";
import { namedIssue, readError, type ServedIssue } from "../served-issue.ts";
import { namedProject } from "../served-projects.ts";
import { eventShape } from "../shapes/event.ts";
import { eventSummaryShape } from "../shapes/event-summary.ts";
import { groupingInfoShape } from "../shapes/grouping-info.ts";

/** Why an event is in its issue. */
export const readGroupingInfo: Resource = async (call) => {
  const { projectId } = await namedProject(call);
  const request = { projectId, eventId: pathPart(call, "event") || "none" };
  const { explanation } = await call.core.errors.explainGrouping(request, call);
  return { status: 200, body: explanation ? groupingInfoShape(explanation) : {} };
};

/**
 * The hashes of an issue, starting with the hash of its newest event. Other hashes come without events, because hashes
 * of older events are not stored. `full` returns the whole event.
 */
export const listIssueHashes: Resource = async (call) => {
  const isFull = !["", "0", "false"].includes((call.query.get("full") ?? "").toLowerCase());
  const issue = await namedIssue(call);
  const key = { projectId: issue.project.projectId, errorId: issue.errorId };
  const { explanation } = await call.core.errors.explainGrouping(key, call);
  if (!explanation) return { status: 200, body: [] };
  const { hash, eventId, errorHashes } = explanation;
  const newest = errorHashes.includes(hash) ? hash : errorHashes[0];
  const latestEvent = isFull
    ? eventShape(await call.core.errors.getEvent({ ...key, eventId }, call))
    : await summaryOf(call, issue);
  const others = errorHashes.filter((id) => id !== newest);
  return { status: 200, body: [{ id: newest, latestEvent }, ...others.map((id) => ({ id, latestEvent: null }))] };
};

async function summaryOf(call: ApiCall, issue: ServedIssue): Promise<object | null> {
  const request = { projectId: issue.project.projectId, errorId: issue.errorId, pageSize: 1, userNames: true };
  const [{ events }, error] = await Promise.all([call.core.errors.listEvents(request, call), readError(call, issue)]);
  return events[0] ? eventSummaryShape(events[0], error) : null;
}
