import { sql, type Kysely } from "kysely";
import type { Storage } from "../storage.ts";
import { sampledOutErrors } from "../storing/limits.ts";
import type { Tables } from "../tables.ts";

/** Events of a group that spike protection did not store on a day (UTC). */
export interface SampledOutCount {
  readonly projectId: number;
  readonly hash: string;
  /** Counted from 1970. */
  readonly day: number;
  count: number;
}

type Row = Tables["integrated_sampled_out"];

/** Rows of one statement. */
const rowsAtOnce = 500;

/**
 * Adds the counts to their errors, and returns the indexes of the counts whose group has no error. `sampledOutErrors` limits how
 * many errors of a project have a count for a day; errors with the most events come first. Processes that write at the same
 * moment can exceed the limit by a few errors.
 */
export async function writeSampledOut(storage: Storage, counts: readonly SampledOutCount[]): Promise<number[]> {
  const groups = await storage.groups(counts.map(({ projectId, hash }) => [projectId, hash]));
  const unknown: number[] = [];
  const rows = new Map<string, Row>();
  for (const [n, { projectId, day, count }] of counts.entries()) {
    const errorId = groups[n]?.errorId;
    if (errorId === undefined) {
      unknown.push(n);
      continue;
    }
    const row = { project_id: projectId, error_id: errorId, day, event_count: count };
    row.event_count += rows.get(nameOf(row))?.event_count ?? 0;
    rows.set(nameOf(row), row);
  }
  const admitted = await withRoom(storage, [...rows.values()]);
  // In the same order in all processes, so that no two wait for each other.
  admitted.sort((a, b) => a.project_id - b.project_id || a.error_id - b.error_id || a.day - b.day);
  if (admitted.length > 0) await storage.write.transaction().execute((transaction) => add(transaction, admitted));
  return unknown;
}

async function add(transaction: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await transaction
      .insertInto("integrated_sampled_out")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "error_id", "day"])
          .doUpdateSet({ event_count: sql`integrated_sampled_out.event_count + excluded.event_count` }),
      )
      .execute();
  }
}

/** The rows that are stored already, and so many others that the project may still have on that day. */
async function withRoom({ read }: Storage, rows: readonly Row[]): Promise<Row[]> {
  const admitted: Row[] = [];
  const ofDays = Map.groupBy(rows, ({ project_id, day }) => `${project_id}/${day}`);
  for (const ofDay of ofDays.values()) {
    const [{ project_id, day } = { project_id: 0, day: 0 }] = ofDay;
    const stored = await read
      .selectFrom("integrated_sampled_out")
      .select("error_id")
      .where("project_id", "=", project_id)
      .where("day", "=", day)
      .execute();
    const known = new Set(stored.map(({ error_id }) => error_id));
    const added = ofDay.filter(({ error_id }) => !known.has(error_id));
    const room = Math.max(0, sampledOutErrors - known.size);
    admitted.push(
      ...ofDay.filter(({ error_id }) => known.has(error_id)),
      ...added.toSorted((a, b) => b.event_count - a.event_count).slice(0, room),
    );
  }
  return admitted;
}

const nameOf = ({ project_id, error_id, day }: Row) => `${project_id}/${error_id}/${day}`;
