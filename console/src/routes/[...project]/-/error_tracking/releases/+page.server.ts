import { periodHours, periods } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { noEnvironment } from "#lib/navigation/route.ts";
import { deploysWithin } from "#lib/server/deploys-within.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { Commit, ReleaseRecord } from "#lib/messages.ts";
import { firstReleaseFilter } from "#lib/search/search-terms.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { PageServerLoad } from "./$types";

const shownCommits = 100;

/** The chosen release in the page's form. */
interface ChosenRelease {
  readonly version: string;
  /** The errors first seen in the release; undefined if they could not be counted. */
  readonly newErrorCount: number | undefined;
  /** Undefined if no build recorded the release. */
  readonly record: ReleaseRecord | undefined;
  /** The newest commits of the release. */
  readonly commits: readonly Commit[];
}

/** Reads the chosen release. */
async function chosenRelease(
  api: Api,
  asked: { readonly projectId: number; readonly version: string },
): Promise<ChosenRelease> {
  const { projectId, version } = asked;
  const [counted, recorded] = await Promise.all([
    refusedInPlace(api.errors.getErrorCount({ projectId, query: firstReleaseFilter(version) })),
    recordOf(api, asked),
  ]);
  return { version, newErrorCount: counted.answer?.count, record: recorded?.record, commits: recorded?.commits ?? [] };
}

async function recordOf(api: Api, asked: { readonly projectId: number; readonly version: string }) {
  try {
    const [{ releaseRecord: record }, { commits }] = await Promise.all([
      api.releaseRecords.getReleaseRecord(asked),
      api.releaseRecords.listCommits({ ...asked, pageSize: shownCommits }),
    ]);
    return { record, commits };
  } catch (failure) {
    if (refusalOfTrpc(failure).reason === "RELEASE_RECORD_NOT_FOUND") return undefined;
    throw failure;
  }
}

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
