const mib = 1024 * 1024;

/** The memory in bytes that all unfinished requests may take together. */
export const maxBytesUnderWay = 128 * mib;

/** What everything but ingestion may hold of it, so that no page, call or upload takes the room of events. */
const maxOtherBytes = 64 * mib;

/** What several requests of one network or person may hold of that. */
const maxBytesOfHolder = 32 * mib;

/** Bytes held by ingestion and by everything else, and of the latter by each network or person. */
const held = { ingestion: 0, others: 0 };
const byHolder = new Map<string, number>();

/** Bytes that all unfinished requests of this process hold. */
export const bytesUnderWay = (): number => held.ingestion + held.others;

/**
 * The memory that one request takes in the process, out of one budget for all of them: a client that opens thousands of
 * connections and stalls must not end the process. Released when it is disposed.
 */
export class MemoryReservation implements Disposable {
  readonly #holder: string | undefined;
  #bytes = 0;
  #isOver = false;

  /** `holder`: the network or person that is charged; undefined: ingestion, which has limits by key and network of its own. */
  constructor(holder?: string) {
    this.#holder = holder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the bytes that the request takes now. Returns false, and changes nothing, when more do not fit, or after its end. */
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
