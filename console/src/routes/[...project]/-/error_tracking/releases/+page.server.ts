import { periodHours, periods } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { noEnvironment } from "#lib/navigation/route.ts";
import { deploysWithin } from "#lib/server/deploys-within.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";
import { chosenRelease } from "./chosen-release.server.ts";

const pageSize = 20;
const shownRecords = 50;

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
  const { projectId } = project;
  const { api } = locals;
  const statsQuery = { ...asked, version: release };
  const [list, stats, recorded, deploys, chosen] = await Promise.all([
    refusedInPlace(api.releases.listReleases({ ...asked, pageSize, pageToken: cursor })),
    refusedInPlace(api.releases.getSessionStats(statsQuery)),
    refusedInPlace(api.releaseRecords.listReleaseRecords({ projectId, pageSize: shownRecords })),
    deploysWithin(api, { projectPath: project.path, hourCount: periodHours[period], version: release }),
    release === "" ? undefined : chosenRelease(api, { projectId, version: release }),
  ]);
  return {
    period,
    environment,
    release,
    cursor,
    list: list.answer,
    stats: stats.answer,
    statsQuery,
    records: recorded.answer?.releaseRecords ?? [],
    deploys: environment === "" ? deploys : deploys.filter((deploy) => deploy.environment === environment),
    chosen,
    refusal: list.refusal ?? stats.refusal,
  };
};
