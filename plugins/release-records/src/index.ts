import { contractVersion, hourMs, type HttpApiRoute, type Plugin } from "@faultline/plugin";
import { migrations } from "./migrations/migrations.ts";
import { movable } from "./movable.ts";
import { deleteUnused } from "./records/delete-unused.ts";
import { countUncounted, kept } from "./records/kept-bytes.ts";
import { releaseRecordService } from "./release-record-service.ts";
import * as operations from "./rest/operations.ts";
import type { SlugForms } from "./sentry/named-projects.ts";
import { releaseRoutes } from "./sentry/routes.ts";
import { suspectCalls } from "./suspects/list-suspects.ts";

/**
 * Releases as builds record them, with commits and deploys, and the commits that an error is suspected to come from.
 * `sentryRoutes`: the addresses by which Sentry's tools record them; they name projects by slugs, see `slugForms`.
 */
export const releaseRecords = ({
  slugForms,
}: {
  slugForms: SlugForms;
}): Plugin & { readonly sentryRoutes: readonly HttpApiRoute[] } => ({
  name: "release-records",
  contract: contractVersion,
  migrations,
  movable,
  keeps: kept,
  services: [releaseRecordService],
  calls: suspectCalls,
  rest: Object.values(operations),
  sentryRoutes: releaseRoutes(slugForms),
  async start(host) {
    host.scheduler.every(hourMs, "delete unused releases", (signal) => deleteUnused(host, signal), { alone: true });
    host.scheduler.every(hourMs, "count bytes of releases", (signal) => countUncounted(host, signal), { alone: true });
  },
});
