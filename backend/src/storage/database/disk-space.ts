import { statfs } from "node:fs/promises";
import type { Log } from "@faultline/plugin";

const mebibyte = 1024 * 1024;

/**
 * The space that ingestion leaves free, so that everything else still works on a full disk. Reading needs little, but
 * each deletion is written to the log first. The log may grow to 64 MiB (`journal_size_limit`) and beyond while a
 * backup reads; one step of retention or of a project's deletion writes some MB; settings, sessions and keys some kB;
 * and other programs write too. 512 MiB hold all this several times. A disk of less than 2 GiB keeps a quarter: 16 MB
 * of 64 MB.
 */
const reserveBytes = 512 * mebibyte;
const largestReserve = 1 / 4;

/**
 * With less than this many reserves free, the projects with the most data are refused, and the others continue to
 * store.
 */
const scarceBelow = 3 / 2;

/**
 * With less than this many reserves free, only events are stored, so that uploads never make the disk scarce for them.
 */
const besideAbove = 2;

/** Ingestion resumes at this much of the reserve, so that it does not stop and resume every second. */
const enough = 5 / 4;

/** Disk space per accepted byte until the next measurement: once in the write-ahead log, once in the database. */
const growth = 2;

/**
 * The free space of the disk with the data. It is measured once a second, and again when half of the last measurement
 * is spent; in between, accepted bytes are subtracted, because a small disk can fill within a second. If another
 * program fills the disk faster, SQLite itself refuses.
 */
export class DiskSpace {
  readonly #directory: string;
  readonly #log: Log;
  /** The last measurement. A disk that cannot be measured counts as endless. */
  #free = Infinity;
  #reserve = 0;
  #size: number | undefined;
  /** Bytes that are accepted and not written yet. */
  #accepted = 0;
  /** Bytes written since the last measurement. */
  #written = 0;
  #isLow = false;
  #isScarce = false;
  #asking: Promise<void> | undefined;

  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Whether nothing more may be accepted. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Whether only projects with little data may store. */
  get isScarce(): boolean {
    return this.#isScarce;
  }

  /** The size of the disk in bytes; undefined if it was not measured, or if the system does not report it. */
  get sizeBytes(): number | undefined {
    return this.#size;
  }

  /** Whether there is room for this many more bytes. If so, they count as taken until `settle`. Costs one addition. */
  take(bytes: number): boolean {
    if (this.#isLow) return false;
    const spent = growth * (this.#accepted + this.#written + bytes);
    const room = this.#free - this.#reserve;
    if (spent * 2 > room) void this.ask();
    if (spent > this.#free - this.#reserve * scarceBelow) this.#turnScarce(true);
    if (spent > room) {
      this.#turn(true); // for all events, so that readiness agrees with refusals of large events
      return false;
    }
    this.#accepted += bytes;
    return true;
  }

  /** Whether there is room for bytes of anything but events. They count as written until the next measurement. */
  takeBeside(bytes: number): boolean {
    const spent = growth * (this.#accepted + this.#written + bytes);
    if (this.#isScarce || spent > this.#free - this.#reserve * besideAbove) return false;
    this.#written += bytes;
    return true;
  }

  /** Settles taken bytes, which were written or refused. */
  settle(bytes: number): void {
    this.#accepted -= bytes;
    this.#written += bytes;
  }

  /**
   * Measures the disk on a thread of the pool that SQLite needs too. It takes 10 us, and never runs twice
   * simultaneously.
   */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const written = this.#written;
    const answer = await statfs(this.#directory).catch(() => undefined); // the database will meet the fault itself
    if (!answer || answer.blocks === 0) return; // some network and FUSE file systems do not report it
    const { blocks, bavail, bsize } = answer;
    this.#written -= written; // bytes written since may be included or not
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
    if (isScarce) this.#log.warn(numbers, "the disk is filling up: the projects that keep the most are refused");
    else this.#log.info(numbers, "the disk has space again: no project is refused because of it");
  }

  #turn(isLow: boolean): void {
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const numbers = { freeBytes: this.#free, reserveBytes: this.#reserve };
    if (isLow) {
      const err = new Error(`The disk that holds ${this.#directory} is nearly full. Free some space.`);
      this.#log.error({ err, ...numbers }, "events are refused until there is space");
    } else this.#log.info(numbers, "the disk has space again: events are stored");
  }
}
