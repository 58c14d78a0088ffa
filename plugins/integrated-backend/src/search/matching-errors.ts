import type { FoundError, MatchingErrors } from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type Kysely } from "kysely";
import { matching } from "./plan.ts";
import { refuseUnknownTags } from "./unknown-tags.ts";
import { statuses, type Tables } from "../tables.ts";
import type { Storage } from "../storage.ts";

/**
 * The number of matching errors. Refuses a tag that no error has, because excluding a misspelled tag would exclude
 * nothing.
 */
export async function countMatching(
  storage: Storage,
  wanted: MatchingErrors,
  limits: AbortableQueryOptions,
): Promise<number> {
  await refuseUnknownTags(storage, wanted, limits);
  const found = sql.join(await walks(storage, wanted), sql` union all `);
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${found}) as found`.execute(
    storage.readExpensively,
    limits,
  );
  return Number(rows[0]?.n ?? 0);
}

/**
 * The next matching errors. Errors that were already found no longer match, because they are hidden or have another
 * status.
 */
export async function nextMatching(
  storage: Storage,
  database: Kysely<Tables>,
  wanted: MatchingErrors,
  atMost: number,
  limits?: AbortableQueryOptions,
): Promise<number[]> {
  return (await matchingErrors(storage, database, wanted, atMost, limits)).map(({ id }) => id);
}

/** Matching errors with their statuses. Errors of one status follow each other. */
export async function matchingErrors(
  storage: Storage,
  database: Kysely<Tables>,
  wanted: MatchingErrors,
  atMost: number,
  limits?: AbortableQueryOptions,
): Promise<FoundError[]> {
  const found = sql.join(await walks(storage, wanted), sql` union all `);
  const query = sql<FoundError>`select id, status from (${found}) as found limit ${atMost}`;
  const { rows } = await query.execute(database, limits);
  return rows;
}

async function walks(storage: Storage, { projectId, query, status, lastErrorId, except, now }: MatchingErrors) {
  const matches = await matching(storage, { projectId, query, now });
  const wanted = status === ErrorStatus.UNSPECIFIED ? statuses.filter((one) => one !== except) : [status];
  return wanted.map((one) => {
    const found = matches
      .select("id")
      .where("project_id", "=", projectId)
      .where("status", "=", one)
      .where("id", "<=", lastErrorId);
    return sql`select id, cast(${one} as integer) as status from (${found}) as walk`;
  });
}
