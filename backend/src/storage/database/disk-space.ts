import { statfs } from "node:fs/promises";
import type { Log } from "@faultline/plugin";

const mebibyte = 1024 * 1024;

/**
 * What ingestion leaves free, so that all the rest still works on a full disk: reading needs little, but each deletion
 * is written to the log first. The log may grow to 64 MiB (`journal_size_limit`) and beyond while a backup reads; one
 * step of retention or of a project's deletion writes some MB; settings, sessions and keys some kB; and other
 * programs write too. 512 MiB hold that several times. A disk of less than 2 GiB keeps a quarter: 16 MB of 64 MB.
 */
const reserveBytes = 512 * mebibyte;
const largestReserve = 1 / 4;

/** With less than this many reserves free, the projects that keep most are refused, and the others go on storing. */
const scarceBelow = 3 / 2;

/** Ingestion begins again when this much of the reserve is free, so that it does not begin and end every second. */
const enough = 5 / 4;

/** What an accepted byte takes on disk until it is asked again: once in the write-ahead log, once in the database. */
const growth = 2;

/**
 * How much room the disk with the data has. The file system is asked once a second and again when half of what was left
 * is spent; in between what is accepted is subtracted, as a small disk can fill within a second. Never stale by more than
 * that: another program that is faster meets SQLite's own refusal.
 */
export class DiskSpace {
  readonly #directory: string;
  readonly #log: Log;
  /** As it was asked last; what cannot be asked is taken for endless. */
  #free = Infinity;
  #reserve = 0;
  #size: number | undefined;
  /** Bytes that were accepted and are not written yet. */
  #accepted = 0;
  /** Bytes written since it was asked last. */
  #written = 0;
  #isLow = false;
  #isScarce = false;
  #asking: Promise<void> | undefined;

  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Whether nothing more may be taken in. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Whether only the projects that keep little may store. */
  get isScarce(): boolean {
    return this.#isScarce;
  }

  /** The size of the disk in bytes; undefined: it was not asked, or does not report it. */
  get sizeBytes(): number | undefined {
    return this.#size;
  }

  /** Whether there is room for so many bytes more; then they count as taken until `settle`. Costs an addition. */
  take(bytes: number): boolean {
    if (this.#isLow) return false;
    const spent = growth * (this.#accepted + this.#written + bytes);
    const room = this.#free - this.#reserve;
    if (spent * 2 > room) void this.ask();
    if (spent > this.#free - this.#reserve * scarceBelow) this.#turnScarce(true);
    if (spent > room) {
      this.#turn(true); // for all, so that readiness agrees with what is answered to large events
      return false;
    }
    this.#accepted += bytes;
    return true;
  }

  /** Bytes that were taken are written now, or were refused. */
  settle(bytes: number): void {
    this.#accepted -= bytes;
    this.#written += bytes;
  }

  /** Asks the file system, on a thread of the pool that SQLite needs too: for 10 us, and never twice at once. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const written = this.#written;
    const answer = await statfs(this.#directory).catch(() => undefined); // the database will meet what is wrong there
    if (!answer || answer.blocks === 0) return; // some network and FUSE file systems do not tell
    const { blocks, bavail, bsize } = answer;
    this.#written -= written; // what came since may be in the answer or not
    this.#reserve = Math.min(reserveBytes, blocks * bsize * largestReserve);
    this.#free = bavail * bsize;
    this.#size = blocks * bsize;
    this.#turnScarce(this.#free < this.#reserve * scarceBelow * (this.#isScarce ? enough : 1));
    this.#turn(this.#free < this.#reserve * (this.#isLow ? enough : 1));
  }

  #turnScarce(isScarce: boolean): void {
    if (isScarce === this.#isScarce) return;
    this.#isScarce = isScarce;
    const numbers = { freeBytes: this.#free, reserveBytes: this.#reserve };
    if (isScarce) this.#log.warn(numbers, "the disk gets full: the projects that keep most are refused");
    else this.#log.info(numbers, "there is space on the disk again: no project is refused for it");
  }

  #turn(isLow: boolean): void {
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const numbers = { freeBytes: this.#free, reserveBytes: this.#reserve };
    if (isLow) {
      const err = new Error(`The disk that holds ${this.#directory} is nearly full: free some space there.`);
      this.#log.error({ err, ...numbers }, "events are refused until there is space");
    } else this.#log.info(numbers, "there is space on the disk again: events are stored");
  }
}
