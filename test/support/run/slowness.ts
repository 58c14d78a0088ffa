import { parentPort, workerData } from "node:worker_threads";

/** What a thread gets that is to measure it; other threads only import this. */
export const measuring = "slowness";

/** What `compute` takes on the machine for which times were chosen: two cores of a 2024 server, with nothing else to do. */
const referenceMs = 100;

/** How many times longer a fixed computation takes now than there; below 1 on a faster machine. */
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
