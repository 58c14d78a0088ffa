import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type Question, storedFacts } from "./large-facts.ts";

/** The thread in which large-facts.ts reads the facts of events, one at a time. Answers each question on the port it comes with. */

// New events come first where cores are few. Only Linux has a priority for a thread.
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", ({ json, answerTo }: Question) => {
  answerTo.postMessage(storedFacts(Buffer.from(json.buffer)), []);
});
