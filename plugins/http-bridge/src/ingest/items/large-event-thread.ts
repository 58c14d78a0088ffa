/** The thread in which large-event.ts reads events, one at a time. Sends an Answer to each Question. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { filteredFields, readErrorEvent } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import { threadMs } from "../body/thread-time.ts";
import { IngestRefusal } from "../refusal.ts";
import { isReadEvent, newEventId, parseArrivedEvent, readByType } from "./event.ts";
import type { Answer, Question, Result } from "./large-event.ts";

/** Replaces the payload in the returned event, because the other side has its bytes. */
const nothing = { content: new Uint8Array(), encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };

/**
 * Gives usual events priority if there are few cores. Only on Linux, which sets the priority of the calling thread;
 * other systems would set the priority of the process.
 */
if (process.platform === "linux") setPriority(10);

parentPort?.on("message", (question: Question) => {
  const beganAt = threadMs();
  const outcome = answer(question);
  const repaired = "item" in outcome && outcome.payload instanceof Uint8Array ? [outcome.payload.buffer] : [];
  parentPort?.postMessage({ ...outcome, ms: threadMs() - beganAt } satisfies Answer, repaired);
});

function answer({ json, arrival }: Question): Result {
  try {
    const { event: sent, payload } = parseArrivedEvent(Buffer.from(json.buffer), arrival);
    const item = readByType(sent, arrival, () => ({
      event: readErrorEvent(sent, { ...arrival, payload: nothing, newEventId }),
      sent: filteredFields(sent),
    }));
    if (!isReadEvent(item)) return { item };
    return {
      item,
      // A copy, because a small Buffer is a part of a pool that others use.
      payload: payload.buffer === json.buffer ? payload.byteOffset : new Uint8Array(payload),
    };
  } catch (error) {
    if (!(error instanceof IngestRefusal)) throw error;
    const { status, detail, causes, outcome } = error;
    return { refusal: { status, detail, causes, outcome } };
  }
}
