import { onDestroy } from "svelte";
import { replaceAddress } from "./navigate.ts";

const typingPauseMs = 300;

/**
 * The text of a field that is also in the address. Typed text is added to the address after a pause, and stays in the
 * field while the page is read: the answer to an earlier text must not replace later text. A component creates it, and
 * it ends with the component.
 */
export class TypedText {
  readonly #applied: () => string;
  readonly #address: (text: string) => string;
  readonly #finished: (text: string) => Promise<string>;
  /** Undefined while the field shows the text in the address. */
  #typed = $state.raw<string>();
  /** The typed text when the page was left for another address. */
  #left: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * `applied` returns the text in the page's address; `address` returns the page's address for another text. `finished`
   * returns a text without an unfinished end, which waits until the field is left or sent.
   */
  constructor(
    applied: () => string,
    address: (text: string) => string,
    finished: (text: string) => Promise<string> = (text) => Promise.resolve(text),
  ) {
    this.#applied = applied;
    this.#address = address;
    this.#finished = finished;
    onDestroy(() => this.forget()); // a text sent later would lead back from the next page
  }

  get value(): string {
    return this.#typed ?? this.#applied();
  }

  set value(text: string) {
    this.#typed = text;
    this.#after(() => this.#sendFinished(text));
  }

  /** Call it when the field loses the focus: its text is finished. */
  finish(): void {
    const text = this.#typed;
    if (text !== undefined) this.#after(() => this.#send(text));
  }

  /** Call it when the field is sent in another way. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Shows the text in the address again, because another address is about to open. */
  forget(): void {
    this.stop();
    this.#typed = undefined;
  }

  /** Call it before a form or a link opens another address, which sets the search. */
  leave(): void {
    this.stop();
    this.#left = this.#typed;
  }

  /** Call it when that address is shown. Text typed meanwhile stays. */
  arrive(): void {
    if (this.#left !== undefined && this.#typed === this.#left) this.forget();
    this.#left = undefined;
  }

  #after(send: () => Promise<void>): void {
    this.stop();
    this.#timer = setTimeout(() => void send(), typingPauseMs);
  }

  /** The list stays unchanged if only the unfinished end differs. */
  async #sendFinished(text: string): Promise<void> {
    const [wanted = "", shown] = await Promise.all([text, this.#applied()].map(this.#finished));
    if (this.#typed !== text) return;
    if (wanted.trim() === text.trim()) return this.#send(text);
    if (wanted.trim() !== shown?.trim()) await replaceAddress(this.#address(wanted.trim()));
  }

  async #send(text: string): Promise<void> {
    const wanted = text.trim();
    if (wanted !== this.#applied()) await replaceAddress(this.#address(wanted));
    if (this.#typed === text) this.#typed = undefined;
  }
}
