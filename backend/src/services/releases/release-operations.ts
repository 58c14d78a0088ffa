import {
  byCursor,
  count,
  cursorOf,
  cursorPage,
  decodedInPath,
  each,
  flag,
  hours,
  isoTime,
  lastHourRunning,
  operation,
  orNull,
  part,
  periodParam,
  present,
  shape,
  single,
  text,
  textParam,
  time,
} from "@faultline/plugin/rest";
import { ReleaseService, type GetSessionStatsResponse, type Release, type SessionCounts } from "@faultline/proto";
import { commit } from "../errors/error-operations.ts";

const tag = "Releases";
const { method } = ReleaseService;

const sessionCounts = shape<SessionCounts>("SessionCounts", "Sessions by how they ended.", {
  total: [count("All of them."), ({ total }) => total],
  healthy: [count("Ended well."), ({ healthy }) => healthy],
  errored: [count("Had an error and went on."), ({ errored }) => errored],
  crashed: [count("Ended by a crash."), ({ crashed }) => crashed],
  abnormal: [count("Ended without saying why."), ({ abnormal }) => abnormal],
});

const percent = { minimum: 0, maximum: 100 };

const release = shape<Release>("Release", "A release with its sessions.", {
  version: [text("Its name, such as `shop@1.2.3`; empty: `other_releases`."), ({ version }) => version],
  other_releases: [
    flag("Whether these are all releases together that came when the project had 10,000, or 100 environments."),
    ({ otherReleases }) => otherReleases,
  ],
  commit: [orNull(text("The commit that its name names; null: none.", commit)), (named) => named.commit || null],
  url: [orNull(text("Where the repository shows it; null: no link.")), ({ url }) => url || null],
  sessions: part(sessionCounts, ({ sessions }) => present(sessions)),
  user_count: [count("Distinct users who had a session."), ({ userCount }) => userCount],
  more_users: [
    flag("Whether there were more: of a day 50,000 of a release and 100,000 of a project are counted apart."),
    ({ moreUsers }) => moreUsers,
  ],
  crashed_user_count: [count("Distinct users who had a crashed one."), ({ crashedUserCount }) => crashedUserCount],
  crash_free_sessions: [
    { type: "number", ...percent, description: "In percent." },
    ({ crashFreeSessions }) => crashFreeSessions,
  ],
  crash_free_users: [
    { type: ["number", "null"], ...percent, description: "In percent; null: no users." },
    ({ crashFreeUsers }) => crashFreeUsers ?? null,
  ],
  first_session_at: [
    time("The hour of its first session that is kept."),
    ({ firstSessionTime }) => isoTime(firstSessionTime),
  ],
  last_session_at: [time("The hour of the last one in the period."), ({ lastSessionTime }) => isoTime(lastSessionTime)],
});

const sessionStats = shape<GetSessionStatsResponse>("SessionStats", "The sessions of a release by hour.", {
  ...hours,
  sessions: each(sessionCounts, (stats) => stats.hours, { description: "Each hour, the oldest first." }),
  ...lastHourRunning,
});

const environment = textParam("Only this environment; empty: what names none. Absent: all.", { maxLength: 64 });

export const listReleases = operation(method.listReleases, "GET /projects/:project/error_tracking/releases", {
  tag,
  summary: "List the releases that had sessions",
  params: { period: periodParam("7d"), environment, ...byCursor },
  answer: cursorPage("The releases, the newest first.", release),
  refuses: [422, 429],
  async run({ params, invoke }) {
    const { period: hourCount } = params;
    const response = await invoke({ hourCount, environment: params.environment, ...cursorOf(params) });
    return { items: response.releases, next: response.nextPageToken };
  },
});

export const getSessionStats = operation(
  method.getSessionStats,
  "GET /projects/:project/error_tracking/releases/:version/sessions",
  {
    tag,
    summary: "Count the sessions of a release by hour",
    path: {
      version: decodedInPath("The release, with `/` written as `%2F`.", { minLength: 1, maxLength: 200 }),
    },
    params: { period: periodParam("24h"), environment },
    answer: single(200, "The sessions of each hour.", sessionStats),
    refuses: [422, 429],
    async run({ host, call, project: { id: projectId }, path: { version }, params, invoke }) {
      const stats = await invoke({ version, hourCount: params.period, environment: params.environment });
      if (stats.hours.some(({ total }) => total > 0)) return stats;
      // A release is known by the sessions of the last 90 days, or because a build recorded it.
      const { hours: ever } = await invoke({ version, hourCount: 2_160 });
      if (!ever.some(({ total }) => total > 0))
        await host.core.releaseRecords.getReleaseRecord({ projectId, version }, call);
      return stats;
    },
  },
);
