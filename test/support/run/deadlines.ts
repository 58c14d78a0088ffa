import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { measuring, slowness } from "./slowness.ts";

/**
 * The factor, 1 to 8, that lengthens all deadlines of the tests: how much longer a fixed computation takes than on a
 * quiet machine with two cores. run.ts measures it once for its lanes. A file that runs on its own measures it itself.
 */
export const deadlineFactor = Number(process.env["TEST_DEADLINE_FACTOR"]) || within(slowness());

/** A deadline for this machine, in whole milliseconds. */
export const stretched = (ms: number): number => Math.ceil(ms * deadlineFactor);

/**
 * The deadline for something promised within `ms`: four times as long, because the machine does other things as well.
 */
export const promised = (ms: number): number => 4 * ms;

/** Measures the factor with as many concurrent computations as there will be lanes. */
export async function calibratedFactor(lanes = availableParallelism() + 1): Promise<number> {
  const each = Array.from({ length: lanes }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const thread = new Worker(new URL("slowness.ts", import.meta.url), { workerData: measuring });
    thread.once("message", resolve).once("error", reject);
    return promise;
  });
  return within(Math.max(...(await Promise.all(each))));
}

function within(factor: number): number {
  return Math.min(8, Math.max(1, Math.round(factor * 10) / 10));
}
