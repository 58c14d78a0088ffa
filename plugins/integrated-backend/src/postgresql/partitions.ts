import { sql, type Kysely } from "kysely";
import { dayMs } from "../retention/retention.ts";
import type { Tables } from "../tables.ts";

/** Today, tomorrow, and one more should the next run fail. */
const daysAhead = 3;

/** Those that are partitioned by the day of receipt. */
export const partitioned = ["integrated_event", "integrated_payload", "integrated_origin"] as const;

/** Makes the partitions of today and the next days, where they are missing. */
export function makePartitionsAhead(database: Kysely<Tables>, now: number): Promise<void> {
  const today = Math.floor(now / dayMs);
  return makePartitions(
    database,
    Array.from({ length: daysAhead }, (_, n) => today + n),
  );
}

/** Makes the partitions of days, each in a short transaction of its own. */
export async function makePartitions(database: Kysely<Tables>, days: Iterable<number>): Promise<void> {
  for (const day of days) await sql`select integrated_make_partitions(${day})`.execute(database);
}

/** A partition, or what is left of one while it is dropped. */
export interface Partition {
  readonly name: string;
  readonly parent: (typeof partitioned)[number];
  readonly state: "attached" | "leaving" | "detached";
}

/** The partitions of the days before a day, oldest first; those of events before those of what belongs to them. */
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
 * Takes a partition out of its table. CONCURRENTLY waits for who reads or writes it, and nobody waits for that: a plain
 * DETACH would hold up every page and batch from when it asks for its lock. It cannot be part of a transaction; what is
 * interrupted half-way is `leaving`.
 */
export async function detach(database: Kysely<Tables>, { name, parent, state }: Partition): Promise<void> {
  if (state === "detached") return;
  const how = sql.raw(state === "leaving" ? "finalize" : "concurrently");
  await sql`alter table ${sql.table(parent)} detach partition ${sql.table(name)} ${how}`.execute(database);
}
