/** The thread in which compile-in-worker.ts compiles maps, one at a time. Sends a CompileAnswer to each CompileJob. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { releaseBytes } from "../bundle/release-bytes.ts";
import { compileMapping, type CompiledMapping } from "../proguard/compile-mapping.ts";
import { compileRead, type CompiledMap } from "./compile.ts";
import type { CompileAnswer, CompileJob } from "./compile-in-worker.ts";
import { MapError } from "./map-error.ts";
import { mapLimits } from "./map-limits.ts";
import { readMap } from "./reading/read-map.ts";

/**
 * Events come first where cores are few. Only on Linux: there it sets the priority of the calling thread, elsewhere that of
 * the process.
 */
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", (job: CompileJob) => {
  const answer = compile(job);
  parentPort?.postMessage(answer, "compiled" in answer ? buffersOf(answer.compiled) : []);
});

function compile(job: CompileJob): CompileAnswer {
  try {
    if ("mapping" in job) return { compiled: compileMapping(job) };
    const { map, minified } = job;
    const read = readMap(map, mapLimits);
    releaseBytes(map);
    return { compiled: compileRead(read, minified && textOf(minified)) };
  } catch (error) {
    if (!(error instanceof MapError)) throw error;
    const { verdict, message } = error;
    return { refusal: { verdict, message } };
  }
}

/** The text in place of its bytes: beside each other they take the memory of both. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  releaseBytes(bytes);
  return text;
}

/** What is handed over with the answer and not copied. */
function buffersOf(compiled: CompiledMap | CompiledMapping): ArrayBuffer[] {
  const texts = "sources" in compiled ? compiled.sources.flatMap(({ content }) => content?.buffer ?? []) : [];
  return [...new Set([compiled.index.buffer, ...texts])];
}
