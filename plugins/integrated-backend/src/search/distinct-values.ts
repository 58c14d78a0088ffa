import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import type { Storage } from "../storage.ts";

/**
 * The distinct values of a tag in a project, or the names of its tags, in byte order. Each takes one step in
 * the index.
 */
export async function distinctValues(
  { readExpensively }: Pick<Storage, "readExpensively">,
  {
    projectId,
    tag,
    from = "",
    most,
  }: { projectId: number; /** Undefined for tag names. */ tag: string | undefined; from?: string; most: number },
  limits?: AbortableQueryOptions,
): Promise<string[]> {
  const [column, of] = tag === undefined ? [sql`key`, sql``] : [sql`value`, sql`and key = ${tag}`];
  const next = (beyond: RawBuilder<unknown>) => sql`(select min(${column}) from integrated_tag_error
    where project_id = ${projectId} ${of} and ${column} ${beyond})`;
  const { rows } = await sql<{ value: string }>`
    with recursive listed (value) as (
      select ${next(sql`>= ${from}`)} union all
      select ${next(sql`> listed.value`)} from listed where listed.value is not null
    ) select value from listed where value is not null limit ${most}`.execute(readExpensively, limits);
  return rows.map(({ value }) => value);
}
