import type { Resource } from "../call.ts";
import { changed, idsOf, update } from "../issue-ids.ts";
import { answerPage, issuePageOf } from "../issue-page.ts";
import { perPageOf } from "../pages.ts";
import { issueSearchOf } from "../search.ts";
import { namedProject } from "../served-projects.ts";
import { statsPeriodOf } from "../stats.ts";
import { statusOf } from "../status.ts";
import { windowOf } from "../times.ts";

/** The issues of a project, only unresolved issues unless `query` says otherwise. */
export const listProjectIssues: Resource = async (call) => {
  const period = statsPeriodOf(call, "statsPeriod");
  const search = issueSearchOf(call, windowOf(call, { periodIsWindow: false })); // like the original
  const pageSize = perPageOf(call);
  return answerPage(call, await issuePageOf(call, await namedProject(call), { search, pageSize }), period);
};

/** Sets the status of the issues in `id`; issues of other projects stay unchanged. */
export const updateProjectIssues: Resource = async (call) => {
  const status = statusOf(call);
  const ids = idsOf(call);
  const { projectId } = await namedProject(call);
  return changed(await update(call, { projectId, ids, status }), status);
};
