import { sql, type Kysely } from "kysely";
import { dayMs } from "@faultline/plugin";
import type { Tables } from "../tables.ts";

/** Today, tomorrow, and one more day in case the next run fails. */
const daysAhead = 3;

/** The tables that are partitioned by the day of receipt. */
export const partitioned = ["integrated_event", "integrated_payload", "integrated_origin"] as const;

/** Creates the missing partitions of today and the next days. */
export function makePartitionsAhead(database: Kysely<Tables>, now: number): Promise<void> {
  const today = Math.floor(now / dayMs);
  return makePartitions(
    database,
    Array.from({ length: daysAhead }, (_, n) => today + n),
  );
}

/** Creates the partitions of days, each in a separate short transaction. */
export async function makePartitions(database: Kysely<Tables>, days: Iterable<number>): Promise<void> {
  for (const day of days) await sql`select integrated_make_partitions(${day})`.execute(database);
}

/** A partition, or the rest of a partition that is being dropped. */
export interface Partition {
  readonly name: string;
  readonly parent: (typeof partitioned)[number];
  readonly state: "attached" | "leaving" | "detached";
}

/**
 * The partitions of the days before a day, oldest first. Partitions of events come before partitions of their other
 * rows.
 */
export async function partitionsBefore(database: Kysely<Tables>, day: number): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select relname as name, parent,
      case when inhrelid is null then 'detached' when inhdetachpending then 'leaving' else 'attached' end as state
    from unnest(${partitioned}::text[]) as parent
    join pg_class c on relname ~ ('^' || parent || '_\\d+$') and relkind = 'r' and pg_table_is_visible(c.oid)
    left join pg_inherits on inhrelid = c.oid
    where substring(relname from '\\d+$')::bigint < ${day}
    order by substring(relname from '\\d+$')::bigint, parent`.execute(database);
  return rows;
}

/**
 * Detaches a partition from its table. CONCURRENTLY waits for its readers and writers without blocking others: a plain
 * DETACH would block every page and batch as soon as it requests its lock. It cannot be part of a transaction. A
 * partition is `leaving` if its detachment was interrupted.
 */
export async function detach(database: Kysely<Tables>, { name, parent, state }: Partition): Promise<void> {
  if (state === "detached") return;
  const how = sql.raw(state === "leaving" ? "finalize" : "concurrently");
  await sql`alter table ${sql.table(parent)} detach partition ${sql.table(name)} ${how}`.execute(database);
}
