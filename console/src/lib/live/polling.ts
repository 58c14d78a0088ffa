import { refusedCallRetry } from "../failures/refused-call.ts";
import { trpc } from "../trpc.ts";

export type LiveState = "connecting" | "live" | "paused";

const intervalMs = 60_000;

/** An answer, possibly a remembered one where the external system cannot be asked. */
export interface MaybeStale {
  readonly staleSinceTime?: string | undefined;
}

/** A reading that is repeated. */
export interface Polled<Update extends MaybeStale> {
  /** The answer that the page was rendered from. */
  readonly read: MaybeStale;
  readonly ask: (api: typeof trpc) => Promise<Update>;
  readonly onUpdate: (update: Update) => void;
}

/**
 * Asks again each minute while the tab is visible, for the first time in a minute; until the returned function is called.
 * Import this file only when it is due: no page that gets changes pushed needs it.
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
    next = Infinity; // one question at a time
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
