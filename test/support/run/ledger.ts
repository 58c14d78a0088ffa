import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The record that runs of the tests leave for later runs, in the committed file `test/ledger.json`. A run on a clean
 * clone cannot commit the file: it writes it and asks for a commit.
 */
export interface Ledger {
  /** Test files that failed and then passed alone, with the date. Remove an entry in the commit that fixes the file. */
  readonly flaky: readonly Flaky[];
  /** The bounds that the last run of `npm run test:measure` missed. A bound that holds again is removed. */
  readonly missed: readonly Missed[];
}

export interface Flaky {
  /** The name that a run prints, such as `test/flow/rest.test.ts on PostgreSQL`. */
  readonly file: string;
  /** The day of the first failure, such as 2026-11-27. */
  readonly date: string;
}

export interface Missed {
  /** The test file and the name of the bound. */
  readonly bound: string;
  readonly date: string;
}

/** The number of days for which a file may stay flaky. */
export const flakyDays = 14;

const path = join(import.meta.dirname, "../../ledger.json");

export function readLedger(): Ledger {
  return JSON.parse(readFileSync(path, "utf8")) as Ledger;
}

/** Writes the ledger if it changed, and asks for a commit. */
export function writeLedger(ledger: Ledger): void {
  const text = `${JSON.stringify(ledger, null, 2)}\n`; // in prettier's form
  if (text === readFileSync(path, "utf8")) return;
  writeFileSync(path, text);
  console.log("\ntest/ledger.json has changed: commit it.");
}

/** The ledger with these files as flaky. Files that are in it already keep their date. */
export function withFlaky(ledger: Ledger, files: readonly string[], today: string): Ledger {
  const known = new Set(ledger.flaky.map(({ file }) => file));
  const added = files.filter((file) => !known.has(file)).map((file) => ({ file, date: today }));
  return { ...ledger, flaky: sorted([...ledger.flaky, ...added], ({ file }) => file) };
}

/** The ledger after these bounds were measured. Other bounds stay as they are. */
export function withMeasured(
  ledger: Ledger,
  measured: readonly { readonly bound: string; readonly isMet: boolean }[],
  today: string,
): Ledger {
  const dates = new Map(ledger.missed.map(({ bound, date }) => [bound, date]));
  for (const { bound, isMet } of measured) {
    if (isMet) dates.delete(bound);
    else if (!dates.has(bound)) dates.set(bound, today);
  }
  const missed = [...dates].map(([bound, date]) => ({ bound, date }));
  return { ...ledger, missed: sorted(missed, ({ bound }) => bound) };
}

/** The flaky files that must be fixed by now. */
export function overdue({ flaky }: Ledger, today: string): readonly Flaky[] {
  return flaky.filter(({ date }) => Date.parse(today) - Date.parse(date) > flakyDays * 86_400_000);
}

/** The current day in the form of the ledger. */
export const today = (): string => new Date().toISOString().slice(0, 10);

function sorted<T>(entries: readonly T[], nameOf: (entry: T) => string): T[] {
  return entries.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}
