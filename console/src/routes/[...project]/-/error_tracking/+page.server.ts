import { redirect } from "@sveltejs/kit";
import { requestOf } from "#lib/errors/list-choices.ts";
import { pageSizes, route } from "#lib/navigation/route.ts";
import { refusedSummary } from "#lib/ingestion/refused-summary.ts";
import { listedSearch } from "#lib/server/listed-search.ts";
import { refusedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const { projectId } = project;
  const { status, sort, q, search } = listedSearch(url);
  const pageSize = pageSizes.find((size) => String(size) === url.searchParams.get("per_page")) ?? pageSizes[0];
  const from = Number(/^\d{1,7}$/.exec(url.searchParams.get("from") ?? "")?.[0] ?? 1);
  const query = {
    projectId,
    query: q,
    ...requestOf({ status, sort }),
    pageSize,
    pageToken: url.searchParams.get("cursor") ?? "",
  };
  const asked = { status, sort, q, search, pageSize, from, query, readAt: Date.now() };
  const updatesMatching = project.capabilities?.updateMatching?.allowed === true;
  const [outcomes, quota, { answer, refusal }, running] = await Promise.all([
    refusedInPlace(locals.api.outcomes.listOutcomes({ projectId, hourCount: 24 })),
    refusedInPlace(locals.api.quotas.getQuota({ projectId })),
    refusedInPlace(locals.api.errors.listErrors(query)),
    updatesMatching ? refusedInPlace(locals.api.bulkUpdates.listBulkUpdates({ projectId, running: true })) : undefined,
  ]);
  const event = answer?.event;
  if (event) redirect(303, route.errorDetails(project.path, event.errorId, { event: event.eventId }));
  if (answer?.searchedErrorId) redirect(303, route.errorDetails(project.path, answer.searchedErrorId));
  return {
    ...asked,
    refused: refusedSummary(outcomes.answer?.outcomes ?? []),
    quota: quota.answer?.quota,
    list: answer,
    bulkUpdates: running?.answer?.bulkUpdates ?? [],
    refusal,
    failure: await shownFailure(locals.api, project, refusal),
  };
};
