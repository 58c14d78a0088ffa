import {
  bodyOf,
  cursorPage,
  decodedInPath,
  hours,
  operation,
  paramsOf,
  periodParam,
  single,
  textParam,
} from "@faultline/plugin/rest";
import { GetSessionStatsResponseSchema, ReleaseSchema, ReleaseService, SessionCountsSchema } from "@faultline/proto";
import { commit } from "../errors/error-operations.ts";

const tag = "Releases";
const { method } = ReleaseService;

const sessionCounts = bodyOf(SessionCountsSchema);
const percent = { minimum: 0, maximum: 100 };
const release = bodyOf(ReleaseSchema, {
  commit: { orNull: true, schema: commit },
  url: null,
  sessions: { of: sessionCounts },
  crashFreeSessions: { schema: percent },
  crashFreeUsers: { schema: percent },
});
const sessionStats = bodyOf(
  GetSessionStatsResponseSchema,
  { startTime: false, hours: { as: "sessions", of: sessionCounts } },
  { name: "SessionStats", description: "The sessions of a release by hour.", further: hours },
);

const environment = textParam("Only this environment; empty: what names none. Absent: all.", { maxLength: 64 });

export const listReleases = operation(method.listReleases, "GET /projects/:project/error_tracking/releases", {
  tag,
  summary: "List the releases that had sessions",
  params: paramsOf(method.listReleases.input, {
    environment: { maxLength: 64 },
    hourCount: { as: "period", ...periodParam("7d") },
  }),
  answer: cursorPage("The releases, the newest first.", release),
  refuses: [422, 429],
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
      // A release is known from the sessions of the last 90 days, or because a build recorded it.
      const { hours: ever } = await invoke({ version, hourCount: 2_160 });
      if (!ever.some(({ total }) => total > 0))
        await host.core.releaseRecords.getReleaseRecord({ projectId, version }, call);
      return stats;
    },
  },
);
