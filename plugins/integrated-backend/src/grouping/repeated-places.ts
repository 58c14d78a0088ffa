import type { MessageInitShape } from "@bufbuild/protobuf";
import { LoopSlices } from "@faultline/plugin/flow";
import type { ErrorSchema } from "@faultline/proto";
import { largestParsed } from "../event/examined-event.ts";
import { headWithoutTransaction } from "./regroup.ts";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";

/** Errors of a page with a newest event that is read. Each event may be in a different block, which takes 5 ms. */
const mostRead = 10;

type Listed = MessageInitShape<typeof ErrorSchema>;

/**
 * Replaces the culprit of errors on a page that share title and culprit, such as two faults of one transaction, by the
 * function and file of their crash frame. An error with a newest event too large to be parsed for a list keeps its
 * culprit.
 */
export async function withPlaces(
  storage: Storage,
  projectId: number,
  errors: readonly Listed[],
): Promise<readonly Listed[]> {
  const alike = Map.groupBy(errors, ({ title = "", culprit = "" }) => JSON.stringify([title, culprit]));
  const repeated = [...alike.values()]
    .filter((same) => same.length > 1)
    .flat()
    .slice(0, mostRead);
  if (repeated.length === 0) return errors;
  const newest = new Map<number, EventTable>();
  for (const { errorId } of repeated) {
    const [row] = (await storage.nextEvents({ projectId, errorId: Number(errorId), place: undefined, limit: 1 })) ?? [];
    if (row) newest.set(row.id, row);
  }
  const slices = new LoopSlices();
  const places = new Map<string, string>();
  for await (const [id, json] of storage.eventJsons(storage.read, [...newest.values()])) {
    const row = newest.get(id);
    if (row && json.length <= largestParsed)
      places.set(String(row.error_id), headWithoutTransaction(row, json).culprit);
    await slices.next();
  }
  return errors.map((error) => ({ ...error, culprit: places.get(error.errorId ?? "") || error.culprit || "" }));
}
