import { closeSync, openSync, readSync } from "node:fs";
import type { SentEvent } from "./traffic.ts";

/** A line of a worker's file. */
export type LedgerLine =
  | { readonly sent: SentEvent }
  /** `odd` holds an answer that no client was promised. */
  | { readonly answered: string; readonly status: number; readonly odd?: string };

export interface LedgerEntry extends SentEvent {
  isAcknowledged: boolean;
}

/** The workers' record of the events that they sent, to compare with the product's promises. */
export class Ledger {
  /** Entries by id, without forgotten events. */
  readonly entries = new Map<string, LedgerEntry>();
  /** Ids that were first acknowledged since the last reading, in this order. */
  newlyAcknowledged: string[] = [];
  /** Answers that no client was promised. */
  readonly odd: string[] = [];
  readonly statuses = new Map<number, number>();
  /** Ids of events that were read back with the contents that were sent. */
  readonly checkedContents = new Set<string>();
  sentCount = 0;
  acknowledgedCount = 0;
  readonly #files: { readonly file: string; position: number }[];

  constructor(files: readonly string[]) {
    this.#files = files.map((file) => ({ file, position: 0 }));
  }

  /** Reads the lines that the workers wrote since the last call. */
  read(): void {
    this.newlyAcknowledged = [];
    for (const one of this.#files) {
      const text = wholeLines(readFrom(one.file, one.position)); // a worker may be writing it now
      one.position += Buffer.byteLength(text);
      for (const line of text.split("\n")) if (line !== "") this.#add(JSON.parse(line) as LedgerLine);
    }
  }

  /** Forgets the events of an era, because they have been deleted. */
  forget(era: number): void {
    for (const [id, entry] of this.entries)
      if (entry.era === era) {
        this.entries.delete(id);
        this.checkedContents.delete(id);
      }
  }

  /** The number of events that may be stored or not. */
  get unacknowledgedCount(): number {
    return this.sentCount - this.acknowledgedCount;
  }

  #add(line: LedgerLine): void {
    if ("sent" in line) {
      this.sentCount++;
      this.entries.set(line.sent.id, { ...line.sent, isAcknowledged: false });
      return;
    }
    this.statuses.set(line.status, (this.statuses.get(line.status) ?? 0) + 1);
    if (line.odd !== undefined) this.odd.push(line.odd);
    const entry = this.entries.get(line.answered);
    if (line.status !== 200 || !entry || entry.isAcknowledged) return;
    entry.isAcknowledged = true;
    this.acknowledgedCount++;
    this.newlyAcknowledged.push(entry.id);
  }
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function readFrom(file: string, position: number): string {
  const descriptor = openSync(file, "r");
  const chunks: Buffer[] = [];
  for (let at = position; ;) {
    const chunk = Buffer.alloc(1 << 20);
    const length = readSync(descriptor, chunk, 0, chunk.length, at);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
    at += length;
  }
  closeSync(descriptor);
  return Buffer.concat(chunks).toString();
}
