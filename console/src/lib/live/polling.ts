import { refusedCallRetry } from "../failures/refused-call.ts";
import { trpc } from "../trpc.ts";

export type LiveState = "connecting" | "live" | "paused";

const intervalMs = 60_000;

/** An answer, possibly a remembered answer if the external system cannot be asked. */
export interface MaybeStale {
  readonly staleSinceTime?: string | undefined;
}

/** A repeated request. */
export interface Polled<Update extends MaybeStale> {
  /** The answer that the page was rendered from. */
  readonly read: MaybeStale;
  readonly ask: (api: typeof trpc) => Promise<Update>;
  readonly onUpdate: (update: Update) => void;
}

/**
 * Asks again each minute while the tab is visible, first after a minute, until the returned function is called. Import
 * this file only when needed: pages with pushed changes do not need it.
 */
export function poll<Update extends MaybeStale>(
  { read, ask, onUpdate }: Polled<Update>,
  onState: (state: LiveState) => void,
): () => void {
  let next = Date.now() + intervalMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = new AbortController();
  const noteState = ({ staleSinceTime }: MaybeStale) => onState(staleSinceTime === undefined ? "live" : "paused");

  const askNow = async () => {
    next = Infinity; // only one request at a time
    let waitMs = intervalMs;
    try {
      const answer = await ask(trpc);
      if (stop.signal.aborted) return;
      noteState(answer);
      onUpdate(answer);
    } catch (error) {
      onState("paused");
      waitMs = Math.max(intervalMs, refusedCallRetry(error) * 1000);
    }
    next = Date.now() + waitMs;
    wait();
  };
  const wait = () => {
    clearTimeout(timer);
    if (stop.signal.aborted || next === Infinity || document.visibilityState !== "visible") return;
    timer = setTimeout(() => void askNow(), Math.max(0, next - Date.now()));
  };
  noteState(read);
  wait();
  document.addEventListener("visibilitychange", wait, { signal: stop.signal });
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
