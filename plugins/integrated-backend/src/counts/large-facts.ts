import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { asObject, readStoredTags, readUserNames, type JsonValue, type UserNames } from "@faultline/sentry-event";

/** A request to the thread. */
export interface Question {
  /** All bytes of its buffer, which is transferred to the thread. */
  readonly json: Uint8Array<ArrayBuffer>;
  readonly answerTo: MessagePort;
}

/** In MiB, as for the thread that reads large events on arrival: the largest event with the most values needs 20. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 40 };

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Does the same as storedFacts, in a thread: an event of 1 MiB takes the event loop 5 to 20 ms. Events take turns, so
 * that only one copy is in memory.
 */
export function largeFacts(json: Buffer): Promise<StoredFacts> {
  const facts = last.then(() => ask(new Uint8Array(json)));
  last = facts.catch(() => undefined); // its caller gets the failure, and the next event its turn
  return facts;
}

function ask(json: Question["json"]): Promise<StoredFacts> {
  const { port1: port, port2: answerTo } = new MessageChannel();
  const asked = (thread ??= startThread());
  return new Promise((resolve) => {
    // A thread that fails closes its ports. None should fail, because the thread has the memory with which an event of
    // this size was read on arrival. If one does, only the fields of the event's row are counted.
    port.once("close", () => resolve({ tags: {}, names: undefined }));
    port.once("message", (facts: StoredFacts) => {
      resolve(facts);
      port.close();
    });
    asked.postMessage({ json, answerTo } satisfies Question, [json.buffer, answerTo]);
  });
}

/**
 * Started with the first large event, because most installations have none. It takes 0.1 s, and 30 MiB that stay in
 * use.
 */
function startThread(): Worker {
  const program = new URL(import.meta.resolve("@faultline/integrated-backend/large-facts-thread"));
  const started = new Worker(program, { resourceLimits });
  const end = () => {
    if (thread === started) thread = undefined;
  };
  started.on("error", end);
  started.on("exit", end);
  started.unref(); // it does not keep the process alive; the port of a question does
  return started;
}

/** The counted values of an event that its row does not have. */
export interface StoredFacts {
  readonly tags: Readonly<Record<string, string>>;
  /** Undefined if the names are not known. */
  readonly names: UserNames | undefined;
}

/**
 * The facts of an event, from its JSON. A service may report any bytes as a payload over gRPC; such a payload has no
 * facts.
 */
export function storedFacts(json: Buffer): StoredFacts {
  try {
    const event = asObject(JSON.parse(json.toString()) as JsonValue) ?? {};
    return { tags: readStoredTags(event), names: readUserNames(event) };
  } catch {
    return { tags: {}, names: undefined };
  }
}
