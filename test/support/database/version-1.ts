import type { JsonObject } from "@faultline/sentry-event";
import { groupHash } from "../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";
import { head } from "../sentry/sentry-event.ts";
import { isOnPostgresql } from "./database-of.ts";
import { execSql, rowsOf } from "./other-process.ts";
import { withPostgresql } from "./postgresql.ts";

/** A sent event. */
export interface Sent {
  readonly eventId: string;
  readonly event: JsonObject;
}

const columns = `title, type, value, culprit, level, platform, status, user_count, first_seen_at, last_seen_at, first_release,
  last_release`;

/**
 * Changes the stored events of a project to what a release with version 1 of grouping would have stored: each group of
 * version 1 is an error, and no other error is left. Call it while no service runs on the data. `place` is a data
 * directory, or the URL of a PostgreSQL database.
 */
export async function groupByVersion1(place: string, projectId: number, sent: readonly Sent[]): Promise<void> {
  const isUrl = place.startsWith("postgres");
  const hashOf = (hex: string) => (isUrl || isOnPostgresql() ? `'\\x${hex}'::bytea` : `x'${hex}'`);
  const exec = (sql: string) =>
    isUrl ? withPostgresql(place, async (client) => void (await client.query(sql))) : execSql(place, sql);
  const rows = (sql: string): Promise<Record<string, unknown>[]> =>
    isUrl
      ? withPostgresql(place, async (client) => (await client.query(sql)).rows as Record<string, unknown>[])
      : rowsOf(place, sql);
  const before = await rows(`select max(id) as id from integrated_error where project_id = ${projectId}`);
  const groups = Map.groupBy(sent, ({ event }) => groupHash(head(event, { projectId })));
  for (const [hash, ofGroup] of groups) {
    const ids = ofGroup.map(({ eventId }) => hashOf(eventId)).join(", ");
    const [first] = ofGroup;
    await exec(
      `insert into integrated_error (project_id, group_hash, grouping_version, event_count, ${columns})
        select ${projectId}, ${hashOf(hash)}, 1, ${ofGroup.length}, ${columns} from integrated_error
        where project_id = ${projectId} and id = (select error_id from integrated_event
          where project_id = ${projectId} and event_id = ${hashOf(first?.eventId ?? "")});
      update integrated_event
        set error_id = (select id from integrated_error where project_id = ${projectId} and group_hash = ${hashOf(hash)})
        where project_id = ${projectId} and event_id in (${ids});
      update integrated_error set
        first_seen_at = (select min(occurred_at) from integrated_event e
          where e.project_id = ${projectId} and e.error_id = integrated_error.id),
        last_seen_at = (select max(occurred_at) from integrated_event e
          where e.project_id = ${projectId} and e.error_id = integrated_error.id)
        where project_id = ${projectId} and group_hash = ${hashOf(hash)};`,
    );
  }
  await exec(
    `delete from integrated_error where project_id = ${projectId} and id <= ${String(before[0]?.["id"] ?? 0)};
    delete from error_change where project_id = ${projectId};
    delete from integrated_new_error where project_id = ${projectId};`, // as if the errors came over weeks
  );
}
