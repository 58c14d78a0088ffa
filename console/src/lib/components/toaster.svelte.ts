const shownMs = 10_000;

interface Toast {
  readonly text: string;
  /** Undoes the act. Undefined if the act cannot be undone. */
  readonly undo?: (() => void) | undefined;
  /** A link with more information. */
  readonly link?: { readonly name: string; readonly address: string } | undefined;
  readonly failed?: boolean | undefined;
}

/** The single short message at the bottom of the page. Only the browser writes to it. */
class Toaster {
  current = $state.raw<Toast | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(toast: Toast): void {
    this.current = toast;
    this.resume();
  }

  /** Keeps the toast while the pointer or the focus is on it. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), shownMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.current = null;
  }

  undo(): void {
    const undo = this.current?.undo;
    if (undo === undefined) return;
    this.close();
    undo();
  }
}

export const toaster = new Toaster();
