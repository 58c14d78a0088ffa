/** The bytes that may wait for their readers in all answers together. Beyond it, the largest answers are cut. */
const maxUnreadBytes = 64 * 1024 * 1024;

/**
 * An answer is cut if its reader takes nothing for this many milliseconds. Longer than the 12 s after which an
 * unfinished request head is answered with 408.
 */
export const unreadMs = 15_000;

/** How often answers are checked, in milliseconds. 40 MB can be written in this time. */
const lookMs = 500;

/** An answer that may wait for its reader. */
export interface UnreadAnswer {
  /** Bytes that wait for the reader. */
  unread(): number;
  /** A number that changes when the reader takes something. Undefined if stalled answers are cut elsewhere. */
  taken?(): number;
  /** Cuts the answer and its connection. */
  cut(): void;
}

interface Look {
  readonly taken: number;
  readonly at: number;
}

/** Unfinished answers. Limits the memory that clients can hold by requesting answers without reading them. */
export class UnreadAnswers {
  readonly #answers = new Map<UnreadAnswer, Look | undefined>();
  #looking: NodeJS.Timeout | undefined;

  add(answer: UnreadAnswer): void {
    this.#answers.set(answer, undefined);
    this.#looking ??= setInterval(() => this.look(), lookMs).unref();
  }

  delete(answer: UnreadAnswer): void {
    this.#answers.delete(answer);
    if (this.#answers.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  /** The unread bytes of all answers. */
  get bytes(): number {
    return [...this.#answers.keys()].reduce((sum, answer) => sum + answer.unread(), 0);
  }

  /** Cuts stalled answers, and the largest answers until the others fit. `now` is in milliseconds. */
  look(now = performance.now()): void {
    const waiting: { readonly answer: UnreadAnswer; readonly bytes: number }[] = [];
    let sum = 0;
    for (const [answer, last] of this.#answers) {
      const bytes = answer.unread();
      if (bytes === 0) {
        if (last) this.#answers.set(answer, undefined);
        continue;
      }
      const taken = answer.taken?.();
      if (taken !== undefined && last?.taken === taken && now - last.at >= unreadMs) {
        answer.cut();
        continue;
      }
      if (taken !== undefined && last?.taken !== taken) this.#answers.set(answer, { taken, at: now });
      waiting.push({ answer, bytes });
      sum += bytes;
    }
    if (sum <= maxUnreadBytes) return;
    for (const { answer, bytes } of waiting.toSorted((one, other) => other.bytes - one.bytes)) {
      answer.cut();
      sum -= bytes;
      if (sum <= maxUnreadBytes) return;
    }
  }
}

/** The answers of all servers in this process. */
export const unreadAnswers = new UnreadAnswers();
