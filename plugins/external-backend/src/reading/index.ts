/**
 * The answers of Sentry's web API, read into our own messages. Pure: no I/O, no clock. Facts follow the API of releases
 * 21.5 to 26: api/serializers/models/{group,event,project}.py, interfaces/*.py, utils/cursors.py and api/base.py there.
 * Nothing in an answer is trusted: each field is checked for its type and its limit, and dropped when it is wrong. Only
 * the size and depth of the whole are bounded before (footprint.ts).
 */
export { readIssueTags, readIssueUsers } from "./breakdown.ts";
export { type ReadingContext, InvalidAnswer, readCursors, readHits } from "./fields.ts";
export { readEvent, readEventSummaries } from "./event.ts";
export { readIssue, readIssues, readHourlyStats } from "./issue.ts";
export { readProjects, readScopes } from "./project.ts";
