import { BoundedMap } from "@faultline/plugin/flow";

/** Errors of one project that are remembered; those that came last. */
const errorsRemembered = 200;

const hourMs = 3_600_000;

/**
 * The errors that a project usually has: those that came in two hours at least an hour apart. In memory, so nothing is usual after a
 * restart until then. Errors are keys as `errorKey` makes them.
 */
export class UsualErrors {
  /** When an error came first. */
  readonly #first = new BoundedMap<string, number>(errorsRemembered);
  readonly #usual = new BoundedMap<string, true>(errorsRemembered);

  /** Notes an error that came while there was no spike. */
  note(error: string, now: number): void {
    if (this.#usual.has(error)) {
      this.#usual.set(error, true); // it came last
      return;
    }
    const first = this.#first.get(error) ?? now;
    if (now - first < hourMs) this.#first.set(error, Math.min(first, now));
    else {
      this.#first.delete(error);
      this.#usual.set(error, true);
    }
  }

  has(error: string): boolean {
    return this.#usual.has(error);
  }
}
