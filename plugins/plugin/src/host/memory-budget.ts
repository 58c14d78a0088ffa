const mib = 1024 * 1024;

/** The memory in bytes that all unfinished requests together may take. */
export const maxBytesUnderWay = 128 * mib;

/** The part that everything except ingestion may hold, so that pages, calls and uploads leave room for events. */
const maxOtherBytes = 64 * mib;

/** The part of `maxOtherBytes` that all requests of one network or person may hold. */
const maxBytesOfHolder = 32 * mib;

/** Bytes held by ingestion and by everything else, and within the latter by each network or person. */
const held = { ingestion: 0, others: 0 };
const byHolder = new Map<string, number>();

/** Bytes that all unfinished requests of this process hold. */
export const bytesUnderWay = (): number => held.ingestion + held.others;

/**
 * The memory that one request takes in the process, from a budget that all requests share, so that a client with
 * thousands of stalled connections cannot crash the process. Released on disposal.
 */
export class MemoryReservation implements Disposable {
  readonly #holder: string | undefined;
  #bytes = 0;
  #isOver = false;

  /**
   * `holder` is the network or person that is charged. Undefined for ingestion, which has limits by key and network.
   */
  constructor(holder?: string) {
    this.#holder = holder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Sets the bytes that the request takes now. Returns false, and changes nothing, if they do not fit or the
   * reservation has ended.
   */
  hold(bytes: number): boolean {
    if (this.#isOver) return false;
    const more = bytes - this.#bytes;
    const ofHolder = this.#holder === undefined ? 0 : (byHolder.get(this.#holder) ?? 0);
    if (more > 0) {
      if (held.ingestion + held.others + more > maxBytesUnderWay) return false;
      if (this.#holder !== undefined && held.others + more > maxOtherBytes) return false;
      const ofItsOthers = ofHolder - this.#bytes;
      if (ofItsOthers > 0 && ofHolder + more > maxBytesOfHolder) return false;
    }
    this.#bytes = bytes;
    if (this.#holder === undefined) {
      held.ingestion += more;
      return true;
    }
    held.others += more;
    if (ofHolder + more > 0) byHolder.set(this.#holder, ofHolder + more);
    else byHolder.delete(this.#holder);
    return true;
  }

  [Symbol.dispose](): void {
    this.hold(0);
    this.#isOver = true;
  }
}
