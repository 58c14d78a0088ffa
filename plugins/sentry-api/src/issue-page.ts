import { searchHeadersOf, type HttpAnswer } from "@faultline/plugin";
import { type Error as TrackedError, type Project, type StatusCounts } from "@faultline/proto";
import type { ApiCall } from "./call.ts";
import { cursorOf, tokenOf } from "./cursor.ts";
import { linkHeader, type Neighbours } from "./pages.ts";
import type { IssueSearch } from "./search.ts";
import { issueShape } from "./shapes/issue.ts";
import { listStats, type StatsPeriod } from "./stats.ts";

/** A page of issues, each with its project. */
export interface IssuePage extends Neighbours {
  readonly issues: readonly { readonly error: TrackedError; readonly project: Project }[];
  readonly hits: number;
  /** Whether the search named this single issue. */
  readonly isDirectHit?: boolean;
  /** Headers about the search; see searchHeaders. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Counting stops at this number. */
export const maxHits = 1000;

/** A page of a project's issues. */
export async function issuePageOf(
  call: ApiCall,
  project: Project,
  { search, pageSize }: { search: IssueSearch; pageSize: number },
): Promise<IssuePage> {
  const request = {
    projectId: project.projectId,
    ...search,
    pageSize,
    pageToken: tokenOf(call.query.get("cursor")),
  };
  const page = await call.core.errors.listErrors(request, call);
  return {
    issues: page.errors.map((error) => ({ error, project })),
    previous: page.previousPageToken === "" ? undefined : cursorOf(page.previousPageToken),
    next: page.nextPageToken === "" ? undefined : cursorOf(page.nextPageToken),
    hits: hitsOf(page.statusCounts),
    isDirectHit: page.event !== undefined || page.searchedErrorId !== "",
    headers: searchHeadersOf(page),
  };
}

/** The page as an HTTP answer. */
export async function answerPage(call: ApiCall, page: IssuePage, period: StatsPeriod): Promise<HttpAnswer> {
  const body = await Promise.all(
    page.issues.map(async ({ error, project }) => ({
      ...issueShape(error, { project, origin: call.origin }),
      ...(await listStats(call, error, period)),
    })),
  );
  const headers = {
    Link: linkHeader(call, page),
    "X-Hits": String(page.hits),
    "X-Max-Hits": String(maxHits),
    ...page.headers,
    ...(page.isDirectHit && { "X-Sentry-Direct-Hit": "1" }),
  };
  return { status: 200, headers, body };
}

function hitsOf(counts: StatusCounts | undefined): number {
  const { unresolved = 0, resolved = 0, ignored = 0 } = counts ?? {};
  return Math.min(unresolved + resolved + ignored, maxHits);
}
