import { replaceAddress } from "./navigate.ts";

const typingPauseMs = 300;

/**
 * The text of a field that is also in the address. Typed text goes there after a pause, and stays in the field while the
 * page is read: the answer to an earlier text must not replace a later one.
 */
export class TypedText {
  readonly #applied: () => string;
  readonly #address: (text: string) => string;
  /** Undefined: the field shows the text of the address. */
  #typed = $state.raw<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `applied` returns the text of the page's address; `address` returns the page's address for another text. */
  constructor(applied: () => string, address: (text: string) => string) {
    this.#applied = applied;
    this.#address = address;
  }

  get value(): string {
    return this.#typed ?? this.#applied();
  }

  set value(text: string) {
    this.#typed = text;
    this.stop();
    this.#timer = setTimeout(() => void this.#send(text), typingPauseMs);
  }

  /** To be called when the field is sent otherwise. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Shows the text of the address again: another one is about to be opened. */
  forget(): void {
    this.stop();
    this.#typed = undefined;
  }

  async #send(text: string): Promise<void> {
    const wanted = text.trim();
    if (wanted !== this.#applied()) await replaceAddress(this.#address(wanted));
    if (this.#typed === text) this.#typed = undefined;
  }
}
