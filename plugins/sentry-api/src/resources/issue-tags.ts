import { invalidField } from "@faultline/plugin";
import type { GetErrorBreakdownResponse } from "@faultline/proto";
import type { ApiCall, Resource } from "../call.ts";
import { namedIssue } from "../served-issue.ts";
import { issueTagShapes, userValueShape } from "../shapes/issue-tags.ts";

/** The tags of an issue with their most frequent values, counted over the newest events. */
export const listIssueTags: Resource = async (call) => ({ status: 200, body: issueTagShapes(await breakdown(call)) });

/** The users affected by an issue, at most 100, most affected first. */
export const listIssueUsers: Resource = async (call) => {
  const sort = call.query.get("sort") ?? "";
  if (!["", "count", "-count"].includes(sort)) throw invalidField("sort", "Invalid sort. Only count is served.");
  const { users } = await breakdown(call);
  return { status: 200, body: users.map(userValueShape) };
};

async function breakdown(call: ApiCall): Promise<GetErrorBreakdownResponse> {
  const { errorId, project } = await namedIssue(call);
  return call.core.errors.getErrorBreakdown({ projectId: project.projectId, errorId }, call);
}
