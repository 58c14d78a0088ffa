import { MemoryReservation as Reservation } from "@faultline/plugin";
import { IngestRefusal } from "../refusal.ts";

/** The memory that a body and its decoder take from the process's budget while the body arrives. */
export class MemoryReservation implements Disposable {
  readonly #reserved = new Reservation();
  #body = 0;
  #window = 0;

  /** Sets the bytes of the body that the request holds now; refuses with 503 if they do not fit. */
  hold(bytes: number): void {
    this.#charge(bytes, this.#window);
  }

  /**
   * Sets the bytes that the decoder takes. Call it before the decoder is created. Refuses with 503 if they do not fit.
   */
  holdWindow(bytes: number): void {
    this.#charge(this.#body, bytes);
  }

  #charge(body: number, window: number): void {
    if (!this.#reserved.hold(body + window)) {
      throw new IngestRefusal(503, "Too many requests are arriving at the same time. Send this again later.");
    }
    this.#body = body;
    this.#window = window;
  }

  [Symbol.dispose](): void {
    this.#reserved[Symbol.dispose]();
  }
}
