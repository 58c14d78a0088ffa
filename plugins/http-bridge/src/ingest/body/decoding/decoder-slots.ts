import type { IncomingMessage } from "node:http";
import { availableParallelism } from "node:os";
import { decoders } from "../../limits.ts";
import { IngestRefusal } from "../../refusal.ts";
import { bodyCutOff } from "../read-body.ts";

/**
 * More decoders than cores starve the event loop. On two cores, four simultaneous brotli bombs raised the p99 of other
 * events from 20 ms to between 140 and 660; two raised it to between 35 and 90.
 */
const atOnce = Math.min(decoders.atOnce, Math.max(2, availableParallelism()));

/** Requests that wait for a decoder, in order of arrival. */
const waiting = new Set<() => void>();
let taken = 0;

/** A place among the concurrent decoders. Disposing of it lets the next request begin. */
export interface DecoderSlot extends Disposable {
  /** Whether other requests wait for a decoder. */
  readonly isAwaited: boolean;
}

/** Resolves when a decoder is free. Refuses with 503 if too many requests wait, with 400 if the client leaves. */
export async function decoderSlot(request: IncomingMessage): Promise<DecoderSlot> {
  if (taken < atOnce) taken++;
  else await turn(request);
  let isFree = false;
  return {
    get isAwaited() {
      return waiting.size > 0;
    },
    [Symbol.dispose]() {
      if (isFree) return;
      isFree = true;
      const [next] = waiting;
      if (next)
        next(); // it takes over this place
      else taken--;
    },
  };
}

function turn(request: IncomingMessage): Promise<void> {
  if (waiting.size >= decoders.waiting) {
    throw new IngestRefusal(
      503,
      "Too many large compressed bodies are arriving at the same time. Send this again later.",
    );
  }
  return new Promise((resolve, reject) => {
    const begin = () => {
      leave();
      resolve();
    };
    const close = () => {
      if (request.complete) return; // the body is complete, so Node closes the request
      leave();
      reject(bodyCutOff());
    };
    const leave = () => {
      waiting.delete(begin);
      request.off("close", close);
    };
    waiting.add(begin);
    request.on("close", close);
  });
}
