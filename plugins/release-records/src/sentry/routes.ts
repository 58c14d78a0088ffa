import type { HttpApiRoute } from "@faultline/plugin";
import { deployCalls } from "./deploys.ts";
import type { SlugForms } from "./named-projects.ts";
import { recordingCalls } from "./record-releases.ts";
import { listRepositories, releaseCalls } from "./releases.ts";

const organization = "/api/0/organizations/:organization";

/** The addresses by which Sentry's tools record releases, for the API that clients of Sentry expect. */
export function releaseRoutes(forms: SlugForms): readonly HttpApiRoute[] {
  const releases = releaseCalls(forms);
  const recording = recordingCalls(forms);
  const deploys = deployCalls(forms);
  return [
    { path: `${organization}/repos`, methods: { GET: listRepositories } },
    ...[organization, "/api/0/projects/:organization/:project"].flatMap((of) => {
      const one = `${of}/releases/:version`;
      return [
        // Raw, as commits take more than the bridge reads of other bodies.
        { path: `${of}/releases`, isRaw: true, methods: { GET: releases.list, POST: recording.create } },
        {
          path: one,
          isRaw: true,
          methods: { GET: releases.read, PUT: recording.change, DELETE: releases.remove },
        },
        { path: `${one}/commits`, methods: { GET: releases.commits } },
        { path: `${one}/deploys`, methods: { GET: deploys.list, POST: deploys.create } },
        { path: `${one}/previous-with-commits`, methods: { GET: releases.previous } },
      ];
    }),
  ];
}
