import { maxBytesUnderWay } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";

/** Bytes that all requests with unfinished bodies hold. */
let underWay = 0;

/**
 * The memory that one request takes while its body arrives, out of a budget for all requests: a client that opens
 * thousands of connections and stalls in the middle of their bodies must not end the process.
 */
export class MemoryReservation implements Disposable {
  #body = 0;
  #window = 0;

  /** Sets the bytes of the body that the request holds now; refuses with 503 when they do not fit. */
  hold(bytes: number): void {
    this.#charge(bytes, this.#window);
  }

  /** Sets the bytes that its decoder takes; to be called before the decoder is made. Refuses with 503 likewise. */
  holdWindow(bytes: number): void {
    this.#charge(this.#body, bytes);
  }

  #charge(body: number, window: number): void {
    const before = this.#body + this.#window;
    const after = body + window;
    if (underWay - before + after > maxBytesUnderWay && after > before) {
      throw new IngestRefusal(
        503,
        "Too many requests are arriving together to fit into memory. Send this again later.",
      );
    }
    underWay += after - before;
    this.#body = body;
    this.#window = window;
  }

  [Symbol.dispose](): void {
    this.#charge(0, 0);
  }
}
