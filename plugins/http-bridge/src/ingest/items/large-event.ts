import { Worker } from "node:worker_threads";
import { MemoryReservation } from "../body/memory-budget.ts";
import { hasManyValues, minBytesToCount } from "../body/json-shape.ts";
import { Rotation } from "../body/rotation.ts";
import type { Sender } from "../body/sender.ts";
import { storedPayload, type Body } from "../body/stored-payload.ts";
import { IngestRefusal } from "../refusal.ts";
import type { ItemArrival } from "./arrival.ts";
import { isReadEvent, refuseTooLong, type EventItem } from "./event.ts";

/** A request to the thread. */
export interface Question {
  /** The complete content of its buffer, which is transferred to the thread. */
  readonly json: Uint8Array<ArrayBuffer>;
  readonly arrival: ItemArrival;
}

/** The thread's answer: the item, or a refusal. */
export type Answer = Result & {
  /** The processor time taken. */
  readonly ms: number;
};

export type Result = Read | Refused;

interface Read {
  readonly item: EventItem;
  /** The event's JSON for storage: its start in the sent bytes, or its bytes if they had to be repaired. */
  readonly payload?: number | Uint8Array<ArrayBuffer>;
}

interface Refused {
  readonly refusal: Pick<IngestRefusal, "status" | "detail" | "causes" | "outcome">;
}

/** Whether an event takes too long to read on the event loop, because it is large or has many values. */
export function isLargeEvent(json: Buffer): boolean {
  return json.length >= minBytesToCount || hasManyValues(json);
}

/**
 * Same as readEventItem, in a thread: 49,000 values take 5 to 20 ms, and garbage collection takes as long again.
 * Projects take turns, and each sender pays for the time that its events take. Refuses with 503 if waiting events
 * exceed the memory of all bodies. Returns only the sent fields that filters read.
 */
export async function readLargeEvent(
  json: Buffer,
  arrival: ItemArrival,
  { sender, original }: { sender: Sender; original: Body | undefined },
): Promise<EventItem> {
  refuseTooLong(json);
  using reservation = new MemoryReservation();
  reservation.hold(json.length);
  const answer = await ask(sender.projectId, { json, arrival });
  sender.charge({ ms: answer.ms });
  if ("refusal" in answer) {
    const { status, detail, causes, outcome } = answer.refusal;
    throw new IngestRefusal(status, detail, causes, { outcome });
  }
  const { item, payload = 0 } = answer;
  if (!isReadEvent(item)) return item;
  const stored = storedPayload(typeof payload === "number" ? json.subarray(payload) : Buffer.from(payload), original);
  item.event.payload = stored.content;
  item.event.payloadEncoding = stored.encoding;
  item.event.payloadOffset = stored.offset;
  item.event.payloadLength = stored.length;
  return item;
}

interface Waiting {
  readonly event: { readonly json: Buffer; readonly arrival: ItemArrival };
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Rotation<Waiting>();
let asked: Waiting | undefined;
let thread: Worker | undefined;

function ask(projectId: number, event: Waiting["event"]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    waiting.push(projectId, { event, resolve, reject });
    if (!asked) askNext();
  });
}

function askNext(): void {
  asked = waiting.shift();
  if (!asked) {
    thread?.unref(); // an idle thread does not keep the process alive
    return;
  }
  const { arrival, json: sent } = asked.event;
  const json = new Uint8Array(sent); // only now: otherwise waiting events would be held twice
  thread ??= startThread();
  thread.ref();
  thread.postMessage({ json, arrival } satisfies Question, [json.buffer]);
}

/** Started with the first large event, because most installations have none: it takes 0.1 s, and permanently 30 MiB. */
function startThread(): Worker {
  const program = new URL(import.meta.resolve("@faultline/http-bridge/large-event-thread"));
  const started = new Worker(program, { resourceLimits });
  started.on("message", (answer: Answer) => {
    const { resolve } = asked ?? {};
    askNext();
    resolve?.(answer);
  });
  // The thread ran out of memory, or met a bug in our code: only the current event fails.
  started.on("error", (error: Error) => {
    const { reject } = asked ?? {};
    thread = undefined;
    askNext();
    reject?.(error);
  });
  return started;
}

/**
 * In MiB. The largest event with the most values needs 16 to 20 of the old generation. More room delays garbage
 * collection: 60 events of 1 MiB took 60 MiB with a limit of 40, and 90 with 48.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 40 };
