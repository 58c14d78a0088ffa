/**
 * The answers of Sentry's web API, read into our own messages. Pure: no I/O, no clock. Facts follow the API of releases
 * 21.5 to 26: api/serializers/models/{group,event,project}.py, interfaces/*.py, utils/cursors.py and api/base.py there.
 * Nothing in an answer is trusted: each field is checked for its type and its limit, and dropped when it is wrong. Only
 * the size and depth of the whole are bounded before (footprint.ts).
 */
export { readIssueTags, readIssueUsers } from "./breakdown.ts";
export type { ReadingContext } from "./context.ts";
export { readEvent } from "./event.ts";
export { readEventSummaries } from "./event-summary.ts";
export { InvalidAnswer } from "./invalid-answer.ts";
export { readIssue, readIssues } from "./issue.ts";
export { readCursors, readHits } from "./paging.ts";
export { readProjects } from "./project.ts";
export { readScopes } from "./scopes.ts";
export { readHourlyStats } from "./stats.ts";
