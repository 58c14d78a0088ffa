import {
  contractVersion,
  hourMs,
  type HttpApiRoute,
  type Plugin,
  type Movable,
  dayMs,
  type Host,
} from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { migrations } from "./migrations/migrations.ts";
import { countUncounted, kept } from "./records/kept-bytes.ts";
import { releaseRecordService } from "./release-record-service.ts";
import * as rest from "./rest.ts";
import type { SlugForms } from "./sentry/named-projects.ts";
import { releaseRoutes } from "./sentry/routes.ts";
import { suspectCalls } from "./suspects/list-suspects.ts";
import { limits } from "./limits.ts";
import type { Tables } from "./tables.ts";

/** Records that a statement deletes: each with up to 1,000 commits. */
const recordsAtOnce = 2;

/** Deletes the records that were not used for too long. */
async function deleteUnused({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const before = deletionClock.now() - limits.unusedDays * dayMs;
  let deleted = 1;
  while (deleted > 0 && !signal.aborted) {
    const [result] = await database
      .write<Tables>()
      .deleteFrom("release_record")
      .where(({ eb, selectFrom }) =>
        eb("id", "in", selectFrom("release_record").select("id").where("used_at", "<", before).limit(recordsAtOnce)),
      )
      .execute();
    deleted = Number(result?.numDeletedRows ?? 0);
  }
}

/** How a move to PostgreSQL copies the plugin's tables. */
const movable: Movable = {
  tables: [
    { name: "release_record", key: ["id"], refersToCore: true },
    { name: "release_commit", key: ["release_id", "position"], refersToCore: true, rowsAtOnce: 200 },
    { name: "release_deploy", key: ["id"], refersToCore: true },
  ],
  otherTables: { sqlite: [], postgresql: [] },
};

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
  rest: operationsOf(rest),
  sentryRoutes: releaseRoutes(slugForms),
  async start(host) {
    host.scheduler.every(hourMs, "delete unused releases", (signal) => deleteUnused(host, signal), { alone: true });
    host.scheduler.every(hourMs, "count bytes of releases", (signal) => countUncounted(host, signal), { alone: true });
  },
});
