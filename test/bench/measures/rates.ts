import { besideFloor } from "../beside-floor.ts";
import type { Bench, Row } from "../bench.ts";

const goals = [
  { bytes: 5_000, goal: 0.52 },
  { bytes: 25_000, goal: 0.6 },
  { bytes: 64_000, goal: 0.75 },
];
const goalMiB = 300;

/** Events a second that are acknowledged, durable and readable; and the memory that they take at most. */
export async function* rates(bench: Bench): AsyncGenerator<Row> {
  const peaks = [];
  for (const { bytes, goal } of goals) {
    const { row, peakMiB } = await besideFloor(bench, { name: "200 errors", bytes, groups: "200", goal });
    yield row;
    peaks.push({ size: `${bytes / 1000} kB`, peakMiB });
  }
  const peak = Math.max(...peaks.map(({ peakMiB }) => peakMiB));
  yield {
    measure: "resident memory at full load, at most",
    goal: `<= ${goalMiB} MiB`,
    measured: `${peak} MiB (${peaks.map(({ size, peakMiB }) => `${size}: ${peakMiB}`).join(", ")})`,
    isMet: peak <= goalMiB,
  };
}
