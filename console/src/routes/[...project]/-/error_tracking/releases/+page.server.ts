import { periodHours, periods } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { noEnvironment } from "#lib/navigation/route.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 20;

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const period = oneOf(["7d", ...periods], url.searchParams.get("period"));
  const environment = url.searchParams.get("environment") ?? "";
  const release = url.searchParams.get("release") ?? "";
  const cursor = url.searchParams.get("cursor") ?? "";
  const asked = {
    projectId: project.projectId,
    hourCount: periodHours[period],
    ...(environment === "" ? {} : { environment: environment === noEnvironment ? "" : environment }),
  };
  const statsQuery = { ...asked, version: release };
  const [list, stats] = await Promise.all([
    refusedInPlace(locals.api.releases.listReleases({ ...asked, pageSize, pageToken: cursor })),
    refusedInPlace(locals.api.releases.getSessionStats(statsQuery)),
  ]);
  return {
    period,
    environment,
    release,
    cursor,
    list: list.answer,
    stats: stats.answer,
    statsQuery,
    refusal: list.refusal ?? stats.refusal,
  };
};
