import type { HttpApiRoute } from "@faultline/plugin";
import { deployCalls } from "./deploys.ts";
import type { SlugForms } from "./named-projects.ts";
import { recordingCalls } from "./record-releases.ts";
import { listRepositories, releaseCalls } from "./releases.ts";

const organization = "/api/0/organizations/:organization";

/** Lists of 100 that have no further page. */
const pages = ["cursor", "limit", "per_page"];

/** What tools ask to see beside a release, which no answer has. */
const presented = ["adoptionStages", "flatten", "health", "healthStat", "healthStatsPeriod", "summaryStatsPeriod"];

/** The addresses by which Sentry's tools record releases, for the API that clients of Sentry expect. */
export function releaseRoutes(forms: SlugForms): readonly HttpApiRoute[] {
  const releases = releaseCalls(forms);
  const recording = recordingCalls(forms);
  const deploys = deployCalls(forms);
  return [
    {
      path: `${organization}/repos`,
      takes: { GET: [...pages, "query", "status"] },
      methods: { GET: listRepositories },
    },
    ...[organization, "/api/0/projects/:organization/:project"].flatMap((of) => {
      const one = `${of}/releases/:version`;
      return [
        // Raw, as commits take more than the bridge reads of other bodies.
        {
          path: `${of}/releases`,
          isRaw: true,
          takes: { GET: ["project", "query", "cursor", "limit", "per_page", ...presented], POST: [] },
          methods: { GET: releases.list, POST: recording.create },
        },
        {
          path: one,
          isRaw: true,
          takes: { GET: presented, PUT: [], DELETE: [] },
          methods: { GET: releases.read, PUT: recording.change, DELETE: releases.remove },
        },
        { path: `${one}/commits`, takes: { GET: pages }, methods: { GET: releases.commits } },
        {
          path: `${one}/deploys`,
          takes: { GET: pages, POST: [] },
          methods: { GET: deploys.list, POST: deploys.create },
        },
        { path: `${one}/previous-with-commits`, takes: { GET: [] }, methods: { GET: releases.previous } },
      ];
    }),
  ];
}
