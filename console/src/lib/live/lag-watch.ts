import type { Clock } from "../time/clock.svelte.ts";
import { currencyOf, lagWords, type Currency, type LagWords } from "./ingest-lag.ts";
import { interruptions } from "../interruptions/interruptions.svelte.ts";
import type { IngestLag } from "../messages.ts";
import { trpc } from "../trpc.ts";

const everyMs = 3_000;
/** After this time without an answer, nobody knows whether the shown data is current. */
const silentMs = 10_000;

/** The storing delay when the page was read, and the function that shows the words for it. */
export interface WatchedLag {
  readonly lag: IngestLag;
  readonly clock: Clock;
  readonly onWords: (words: LagWords | undefined) => void;
}

/**
 * Checks how far storing is behind while the tab is visible, until the returned function is called. A call takes some
 * hundred bytes, and the core answers it from memory. Import this file only if there is a queue.
 */
export function watchLag({ lag, clock, onWords }: WatchedLag): () => void {
  let currency: Currency = { kind: "current" };
  let storedUntil = 0;
  let answeredAt = Date.now();
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = new AbortController();
  const { signal } = stop;

  const report = (now: Currency) => {
    currency = now;
    onWords(lagWords(now, Date.now(), clock.zone));
  };
  const take = (answer: IngestLag) => {
    answeredAt = Date.now();
    if (answer.storedUntilTime !== undefined) storedUntil = Date.parse(answer.storedUntilTime);
    report(currencyOf(answer, currency));
  };
  const ask = async () => {
    if (isAsking) return;
    if (interruptions.isSignedOut) return wait(everyMs);
    isAsking = true;
    try {
      const { ingestLag } = await trpc.instance.getIngestLag.query({}, { signal: AbortSignal.timeout(silentMs) });
      if (signal.aborted) return;
      if (ingestLag === undefined) {
        stop.abort(); // the queue no longer exists
        report({ kind: "current" });
      } else take(ingestLag);
    } catch {
      if (Date.now() - answeredAt > silentMs) report({ kind: "unknown", until: storedUntil });
    } finally {
      isAsking = false;
    }
    wait(everyMs);
  };
  const wait = (milliseconds: number) => {
    clearTimeout(timer);
    if (signal.aborted || document.visibilityState !== "visible") return;
    timer = setTimeout(() => void ask(), milliseconds);
  };
  take(lag);
  wait(everyMs);
  document.addEventListener("visibilitychange", () => wait(0), { signal });
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
