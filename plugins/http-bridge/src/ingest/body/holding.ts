import { maxBytesUnderWay } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";

/** Bytes that all requests hold whose bodies are under way. */
let underWay = 0;

/**
 * The memory one request takes while its body comes, out of what all of them may take together: whoever opens thousands
 * of connections and stalls in the middle of their bodies must not end the process.
 */
export class Holding implements Disposable {
  #bytes = 0;

  /** Says how much the request holds now; refuses with 503 what does not fit. */
  hold(bytes: number): void {
    const others = underWay - this.#bytes;
    if (others + bytes > maxBytesUnderWay && bytes > this.#bytes) {
      throw new IngestRefusal(503, "More is being sent at once than fits into memory. Send this again later.");
    }
    underWay = others + bytes;
    this.#bytes = bytes;
  }

  [Symbol.dispose](): void {
    this.hold(0);
  }
}
