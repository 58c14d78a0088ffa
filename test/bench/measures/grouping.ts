import { besideFloor } from "../beside-floor.ts";
import type { Bench, Row } from "../bench.ts";

const goal = 0.5;

/** The rate when all events belong to one error, and when each makes a new one. */
export async function* grouping(bench: Bench): AsyncGenerator<Row> {
  yield (await besideFloor(bench, { name: "all in one error", bytes: 5_000, groups: "one", goal })).row;
  yield (await besideFloor(bench, { name: "each a new error", bytes: 5_000, groups: "new", goal })).row;
}
