/** The thread of compile-in-worker.ts. Sends a ThreadAnswer to each ThreadJob, one after the other. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { identifiersOf, inlineMapOf } from "../bundle/debug-ids.ts";
import { unpacked } from "../bundle/inflate-entry.ts";
import { releaseBytes } from "../bundle/bundle-bytes.ts";
import { compileMapping } from "../proguard/mapping-index.ts";
import { compileRead, type CompiledMap } from "./compile.ts";
import { lineIndexOf } from "./lines/line-index.ts";
import { MapError, mapLimits } from "./map-limits.ts";
import { readMap } from "./reading/read-map.ts";
import {
  refusalOf,
  type Identified,
  type MapJob,
  type PackedFile,
  type ThreadAnswer,
  type ThreadJob,
  type ThreadResult,
} from "./thread-jobs.ts";

/**
 * Events come first where cores are few. Only on Linux: there it sets the priority of the calling thread, elsewhere the priority of
 * the process.
 */
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", (job: ThreadJob) => {
  const answer = answerTo(job);
  parentPort?.postMessage(answer, "result" in answer ? buffersOf(answer.result) : []);
});

function answerTo(job: ThreadJob): ThreadAnswer {
  try {
    if ("mapping" in job) return { result: compileMapping(job) };
    return { result: "files" in job ? job.files.map(identify) : compile(job) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { refusal };
  }
}

function identify({ type, headers, packed }: PackedFile): Identified {
  const content = unpacked(packed);
  const identifiers = identifiersOf({ type, headers, content });
  const lines = type === "source" ? lineIndexOf(content) : undefined; // it may be the text of a map without texts
  releaseBytes(content);
  return lines ? { ...identifiers, lines } : identifiers;
}

/** One file after the other: together they take the memory of both. */
function compile({ headers, script, map }: MapJob): CompiledMap {
  const json = map === "inline" ? inlineMapOf({ headers, content: unpacked(script) }) : unpacked(map);
  if (!json)
    throw new MapError("map_malformed", "The map in the file itself cannot be read. Let the bundler write a file.");
  const read = readMap(json, mapLimits);
  releaseBytes(json);
  return compileRead(read, textOf(unpacked(script)));
}

/** The text in place of its bytes; undefined if it is too long to be parsed. */
function textOf(script: Buffer): string | undefined {
  const text = script.length > mapLimits.minifiedLength ? undefined : script.toString();
  releaseBytes(script);
  return text;
}

/** The buffers that are handed over with the answer instead of copied. */
function buffersOf(result: ThreadResult): ArrayBuffer[] {
  if (!("index" in result)) return []; // ids of files
  const texts =
    "sources" in result
      ? result.sources.flatMap(({ content, lines }) => [content?.buffer ?? [], lines?.buffer ?? []].flat())
      : [];
  return [...new Set([result.index.buffer, ...texts])];
}
