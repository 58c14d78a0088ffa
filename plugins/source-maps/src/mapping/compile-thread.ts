/** The thread in which compile-in-worker.ts compiles maps, one at a time. Sends a CompileAnswer to each CompileJob. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { compileMapping } from "../proguard/compile-mapping.ts";
import { compileMap } from "./compile.ts";
import type { CompileAnswer, CompileJob } from "./compile-in-worker.ts";
import { MapError } from "./map-error.ts";

/**
 * Events come first where cores are few. Only on Linux: there it sets the priority of the calling thread, elsewhere that of
 * the process.
 */
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", (job: CompileJob) => {
  const answer = compile(job);
  parentPort?.postMessage(answer, "compiled" in answer ? [answer.compiled.index.buffer] : []);
});

function compile(job: CompileJob): CompileAnswer {
  try {
    return { compiled: "mapping" in job ? compileMapping(job) : compileMap(job) };
  } catch (error) {
    if (!(error instanceof MapError)) throw error;
    const { verdict, message } = error;
    return { refusal: { verdict, message } };
  }
}
