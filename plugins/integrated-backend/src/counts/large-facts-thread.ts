import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type Question, storedFacts } from "./large-facts.ts";

/**
 * The thread in which large-facts.ts reads the facts of events, one at a time. Each question brings the port for its
 * answer.
 */

// New events take priority if cores are few. Only Linux has a priority for a thread.
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", ({ json, answerTo }: Question) => {
  answerTo.postMessage(storedFacts(Buffer.from(json.buffer)), []);
});
