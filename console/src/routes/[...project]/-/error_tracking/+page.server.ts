import { sortKeys, statusTabs } from "#lib/list-choices.ts";
import { oneOf } from "#lib/preferences.ts";
import { refusedSummary } from "#lib/refused-summary.ts";
import type { SortKey, StatusTab } from "#lib/route.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 50;
const statuses = ["unresolved", "ignored", "resolved", "all"] as const satisfies readonly StatusTab[];
const sorts = ["last_seen", "first_seen", "events"] as const satisfies readonly SortKey[];

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const { projectId } = project;
  const status = oneOf(statuses, url.searchParams.get("status"));
  const sort = oneOf(sorts, url.searchParams.get("sort"));
  const q = url.searchParams.get("q")?.trim() ?? "";
  const asked = { status, sort, q, readAt: Date.now() };
  const [outcomes, { answer, refusal }] = await Promise.all([
    refusedInPlace(locals.api.outcomes.list({ projectId, hourCount: 24 })),
    refusedInPlace(
      locals.api.errors.list({
        projectId,
        query: q,
        status: statusTabs[status],
        sort: sortKeys[sort],
        pageSize,
        pageToken: url.searchParams.get("cursor") ?? "",
      }),
    ),
  ]);
  return { ...asked, refused: refusedSummary(outcomes.answer?.outcomes ?? []), list: answer, refusal };
};
