import { create } from "@bufbuild/protobuf";
import {
  GetSessionStatsRequestSchema,
  ListReleasesRequestSchema,
  type GetSessionStatsResponse,
  type Release,
  type SessionCounts,
} from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { textParam } from "../params.ts";
import { decodedPart } from "../../path-pattern.ts";
import { hoursOf } from "../period.ts";
import type { Operation } from "../rest.ts";

/** Releases with sessions in a `period`, a week unless given; the newest first. */
export const listReleases: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const environment = textParam(params, "environment");
  const request = create(ListReleasesRequestSchema, {
    projectId: projectOf(restCall).projectId,
    hourCount: hoursOf(params, "7d"),
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
    ...(environment !== undefined && { environment }),
  });
  const { releases = [], nextPageToken = "" } = await visit.host.core.releases.listReleases(request, call);
  setCursorLinks(visit, { next: nextPageToken });
  return { status: 200, body: (releases as Release[]).map(releaseBody) };
};

/** The sessions of a release in each hour of a `period`, a day unless given. */
export const getSessionStats: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const version = decodedPart(visit.path["version"]);
  if (version === "") throw badParameter("version", "is invalid"); // for the core it is all releases
  const environment = textParam(params, "environment");
  const request = create(GetSessionStatsRequestSchema, {
    projectId: projectOf(restCall).projectId,
    version,
    hourCount: hoursOf(params, "24h"),
    ...(environment !== undefined && { environment }),
  });
  const stats = (await visit.host.core.releases.getSessionStats(request, call)) as GetSessionStatsResponse;
  return {
    status: 200,
    body: {
      start: isoTime(stats.startTime),
      interval: "1h",
      sessions: stats.hours.map(sessionsBody),
      last_hour_running: stats.lastHourRunning,
    },
  };
};

function releaseBody(release: Release): object {
  return {
    version: release.version,
    other_releases: release.otherReleases,
    commit: release.commit || null,
    url: release.url || null,
    sessions: release.sessions ? sessionsBody(release.sessions) : null,
    user_count: release.userCount,
    more_users: release.moreUsers,
    crashed_user_count: release.crashedUserCount,
    crash_free_sessions: release.crashFreeSessions,
    crash_free_users: release.crashFreeUsers ?? null,
    first_session_at: isoTime(release.firstSessionTime),
    last_session_at: isoTime(release.lastSessionTime),
  };
}

function sessionsBody({ total, healthy, errored, crashed, abnormal }: SessionCounts): object {
  return { total, healthy, errored, crashed, abnormal };
}
