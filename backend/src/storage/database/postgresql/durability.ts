import type { Log } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";

/**
 * From the manual's chapter "Reliability and the Write-Ahead Log"; all three are on unless somebody turned them off.
 */
const settings = ["fsync", "full_page_writes", "synchronous_commit"];

/** Warns of settings by which the server may lose confirmed data when it or its machine ends abruptly. */
export async function warnOfLosses(kysely: Kysely<unknown>, log: Log): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_catalog.pg_settings
    where name in (${sql.join(settings)}) and setting = 'off' order by name`.execute(kysely);
  for (const { name } of rows) {
    log.warn({ setting: name }, `PostgreSQL can lose stored events because its setting ${name} is off. Turn it on`);
  }
}
