import { ServiceError } from "@faultline/plugin";
import { ErrorReason, ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type Kysely } from "kysely";
import { matching } from "../search/plan.ts";
import { refuseUnknownTags } from "../search/unknown-tags.ts";
import { statuses } from "../lists/statuses.ts";
import type { Storage } from "../storage.ts";
import type { ErrorTable, Tables } from "../tables.ts";

/** The condition of a deletion, or of a change, of all errors that match. */
export interface Matching {
  readonly projectId: number;
  readonly query: string;
  /** UNSPECIFIED: all. */
  readonly status: ErrorStatus;
  /** Later errors stay. */
  readonly lastErrorId: number;
  /** When it was asked for, in milliseconds: ages in the search are counted from then. */
  readonly now: number;
  /** Errors of this status do not match. Absent: none. */
  readonly except?: ErrorStatus;
}

/** The number of errors that match. Refuses a search for a tag that none has: excluding a misspelled one excludes nothing. */
export async function countMatching(
  storage: Storage,
  wanted: Matching,
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

/** The next errors that match: those already found are hidden, or have another status, and match no longer. */
export async function nextMatching(
  storage: Storage,
  database: Kysely<Tables>,
  wanted: Matching,
  atMost: number,
  limits?: AbortableQueryOptions,
): Promise<number[]> {
  return (await matchingErrors(storage, database, wanted, atMost, limits)).map(({ id }) => id);
}

/** Errors that match, with their statuses; those of one status follow each other. */
export async function matchingErrors(
  storage: Storage,
  database: Kysely<Tables>,
  wanted: Matching,
  atMost: number,
  limits?: AbortableQueryOptions,
): Promise<Pick<ErrorTable, "id" | "status">[]> {
  const found = sql.join(await walks(storage, wanted), sql` union all `);
  const query = sql<Pick<ErrorTable, "id" | "status">>`select id, status from (${found}) as found limit ${atMost}`;
  const { rows } = await query.execute(database, limits);
  return rows;
}

async function walks(storage: Storage, { projectId, query, status, lastErrorId, except, now }: Matching) {
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

/**
 * Refuses a count that is more than 10 % off: the list has changed since, or the search is not the intended one.
 * `act`: what is to be done to the errors, as a verb and its past.
 */
export function checkExpected(
  { found, expected, field }: { found: number; expected: number; field: string },
  act: readonly [verb: string, past: string],
): void {
  if (Math.abs(found - expected) <= expected / 10) return;
  const errors = found === 1 ? "1 error matches" : `${found.toLocaleString("en")} errors match`;
  throw new ServiceError(
    ErrorReason.EXPECTED_COUNT_DIFFERS,
    `${errors} now, but ${expected.toLocaleString("en")} were expected, so nothing was ${act[1]}. Check the list again, and ${act[0]} with the current number.`,
    { field },
  );
}
