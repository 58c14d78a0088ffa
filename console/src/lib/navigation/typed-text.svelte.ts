import { onDestroy } from "svelte";
import { replaceAddress } from "./navigate.ts";

const typingPauseMs = 300;

/**
 * The text of a field that is also in the address. Typed text goes there after a pause, and stays in the field while the
 * page is read: the answer to an earlier text must not replace a later one. It is made by a component, and ends with it.
 */
export class TypedText {
  readonly #applied: () => string;
  readonly #address: (text: string) => string;
  readonly #finished: (text: string) => Promise<string>;
  /** Undefined while the field shows the text of the address. */
  #typed = $state.raw<string>();
  /** What was typed when the page was left for another address. */
  #left: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * `applied` returns the text of the page's address; `address` returns the page's address for another text. `finished`
   * returns a text without an end that is still being typed, which waits until the field is left or sent.
   */
  constructor(
    applied: () => string,
    address: (text: string) => string,
    finished: (text: string) => Promise<string> = (text) => Promise.resolve(text),
  ) {
    this.#applied = applied;
    this.#address = address;
    this.#finished = finished;
    onDestroy(() => this.forget()); // a text that is sent later would lead back from the next page
  }

  get value(): string {
    return this.#typed ?? this.#applied();
  }

  set value(text: string) {
    this.#typed = text;
    this.#after(() => this.#sendFinished(text));
  }

  /** To be called when the field loses the focus: its text is finished. */
  finish(): void {
    const text = this.#typed;
    if (text !== undefined) this.#after(() => this.#send(text));
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

  /** To be called before a form or a link opens another address, which decides what the search is. */
  leave(): void {
    this.stop();
    this.#left = this.#typed;
  }

  /** To be called when that address is shown. What was typed meanwhile stays. */
  arrive(): void {
    if (this.#left !== undefined && this.#typed === this.#left) this.forget();
    this.#left = undefined;
  }

  #after(send: () => Promise<void>): void {
    this.stop();
    this.#timer = setTimeout(() => void send(), typingPauseMs);
  }

  /** The list stays where only the end that is still being typed differs. */
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
