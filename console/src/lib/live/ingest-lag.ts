import type { IngestLag } from "../messages.ts";
import { clockSeconds, dayTime, shortTime } from "../time/time-format.ts";

/** The line appears above the first limit, and stays until the lag is below the second, so that it does not flicker. */
const shownAboveMs = 2_000;
const shownUntilMs = 1_000;

/** How far the shown data may be behind the accepted data, in milliseconds. */
export type Currency =
  | { readonly kind: "current" }
  | { readonly kind: "behind"; readonly until: number }
  /** `until` is 0 if it was never known. */
  | { readonly kind: "unknown"; readonly until: number };

/** The state after an answer, derived from the earlier state. */
export function currencyOf({ known, storedUntilTime, lagMilliseconds }: IngestLag, before: Currency): Currency {
  const until = storedUntilTime === undefined ? 0 : Date.parse(storedUntilTime);
  if (!known) return { kind: "unknown", until };
  const limit = before.kind === "current" ? shownAboveMs : shownUntilMs;
  return Number(lagMilliseconds) > limit ? { kind: "behind", until } : { kind: "current" };
}

/** A sentence around a time, and an additional sentence if there is room. */
export interface LagWords {
  readonly before: string;
  readonly time: string;
  readonly after: string;
  readonly more: string;
}

/** The words for a reader in this zone; undefined if there is nothing to report. */
export function lagWords(currency: Currency, now: number, zone: string): LagWords | undefined {
  if (currency.kind === "current") return undefined;
  const { kind, until } = currency;
  // A time of the current day needs no date.
  const isToday = dayTime(until, zone) === dayTime(now, zone);
  const time = until === 0 ? "" : isToday ? clockSeconds(until, zone) : shortTime(until, zone);
  if (kind === "behind") {
    return { before: "You see events up to ", time, after: ".", more: "Newer events are waiting to be stored." };
  }
  const more = "It is not known how many are waiting to be stored.";
  return until === 0
    ? { before: "Newer events may be missing.", time, after: "", more }
    : { before: "Events after ", time, after: " may be missing.", more };
}
