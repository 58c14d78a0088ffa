/** The thread in which large-tags.ts reads the tags of events, one at a time. Answers each question on the port it comes with. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Question } from "./large-tags.ts";
import { storedTags } from "./stored-tags.ts";

// New events come first where cores are few. Only Linux has a priority for a thread.
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", ({ json, answerTo }: Question) => {
  answerTo.postMessage(storedTags(Buffer.from(json.buffer)), []);
});
