import { parentPort, workerData } from "node:worker_threads";

/** The data of a thread that measures; other threads only import this file. */
export const measuring = "slowness";

/** The time of `compute` on the machine for which we chose times: two cores of a 2024 server, otherwise idle. */
const referenceMs = 100;

/** How many times longer a fixed computation takes now than on that machine; below 1 on a faster machine. */
export function slowness(): number {
  compute(1_000_000); // so that it is compiled
  const startedAt = performance.now();
  compute(60_000_000);
  return (performance.now() - startedAt) / referenceMs;
}

function compute(rounds: number): number {
  let x = 1;
  for (let n = 0; n < rounds; n++) x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
  return x;
}

if (workerData === measuring) parentPort?.postMessage(slowness(), []);
