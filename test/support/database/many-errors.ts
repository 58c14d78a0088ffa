import { isOnPostgresql } from "./database-of.ts";
import { execSql } from "./other-process.ts";

/**
 * Writes errors without events, `Failure 1` and so on, into the database of the running service. Sending them as events
 * would take a minute, and exceed the limit of new errors. `users` and `lastSeen` can be SQL in `n`.
 */
export async function storeErrors(
  { dataDir }: { readonly dataDir: string },
  projectId: number,
  {
    count,
    users = "0",
    lastSeen = String(Date.now()),
  }: { readonly count: number; readonly users?: string; readonly lastSeen?: string },
): Promise<void> {
  const hash = isOnPostgresql()
    ? "decode(md5(random()::text || n), 'hex') || decode('00000000', 'hex')"
    : "randomblob(20)";
  await execSql(
    dataDir,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into integrated_error (project_id, group_hash, grouping_version, title, type, value, culprit, level, platform,
        status, event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
      select ${projectId}, ${hash}, 2, 'Failure ' || n, 'Failure', 'Failure ' || n, '', 'error', 'node', 1, 1, ${users},
        ${lastSeen}, ${lastSeen}, '', '' from numbers`,
  );
}
