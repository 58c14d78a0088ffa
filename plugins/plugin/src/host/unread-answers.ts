/** What all answers together may wait for their readers, in bytes. Beyond it those that wait with the most are cut. */
const maxUnreadBytes = 64 * 1024 * 1024;

/**
 * An answer of which nothing is read for this long is cut, in milliseconds. Longer than the 12 s after which a head that never ends
 * is answered with 408.
 */
export const unreadMs = 15_000;

/** How often answers are looked at, in milliseconds: 40 MB can be written meanwhile. */
const lookMs = 500;

/** An answer that may wait for its reader. */
export interface UnreadAnswer {
  /** Its bytes that wait. */
  unread(): number;
  /** A number that changes when its reader takes something. Absent: a stalled answer is cut elsewhere. */
  taken?(): number;
  /** Cuts it, with its connection. */
  cut(): void;
}

interface Look {
  readonly taken: number;
  readonly at: number;
}

/** Answers that are under way, of which a reader who asks and does not read can hold only so much. */
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

  /** Bytes of all answers that wait for their readers. */
  get bytes(): number {
    return [...this.#answers.keys()].reduce((sum, answer) => sum + answer.unread(), 0);
  }

  /** Cuts what is stalled, and the largest answers until the others fit. `now`: of a clock in milliseconds. */
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

/** The answers of all servers of this process. */
export const unreadAnswers = new UnreadAnswers();
