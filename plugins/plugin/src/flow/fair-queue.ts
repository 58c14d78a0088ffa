import { AsyncResource } from "node:async_hooks";

/** The bounds of a queue. */
export interface QueueBounds {
  /** Tasks that run at once. */
  readonly atOnce: number;
  /** Tasks of one owner that run at once, of all owners alike or by owner; default: `atOnce`. */
  readonly ofOwner?: number | ((owner: string) => number);
  /** Tasks of one first owner that may wait, ahead or not; default: any number. */
  readonly waitingOfOwner?: number;
  /** Tasks that may wait together; default: any number. Those that go ahead are counted apart from the others. */
  readonly waiting?: number;
  /** The error for a task beyond `waitingOfOwner` or `waiting`. */
  readonly refusal?: () => Error;
}

/** Whose a task is, and when it need not wait any longer. */
export interface Turn {
  /**
   * The first owner takes turns with the others of its kind, such as people or projects. None of the owners has more than `ofOwner`
   * tasks running.
   */
  readonly owners: readonly [string, ...string[]];
  /** Goes ahead of all tasks that do not. */
  readonly isAhead?: boolean;
  /** Once it is aborted, a task that waits never begins; the caller gets `left()`. */
  readonly signal?: AbortSignal | undefined;
  readonly left?: () => Error;
}

/** Runs tasks of several owners, some at once. Owners take turns, however many tasks each of them has waiting. */
export class FairQueue {
  readonly #bounds: QueueBounds;
  readonly #running = new Map<string, number>();
  /** Waiting tasks by owner; the owner whose turn was longest ago comes first. */
  readonly #lines = { ahead: new Map<string, Waiting[]>(), others: new Map<string, Waiting[]>() };
  #free: number;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
    this.#free = bounds.atOnce;
  }

  /** Tasks that run or wait. */
  get underWay(): number {
    const waiting = waitingIn(this.#lines.ahead) + waitingIn(this.#lines.others);
    return this.#bounds.atOnce - this.#free + waiting;
  }

  /** Runs a task at its turn. Fails with `refusal()` where too many wait, and with `left()` where the caller left before. */
  async run<T>(turn: Turn, task: () => Promise<T>): Promise<T> {
    await this.#turn(turn);
    try {
      return await task();
    } finally {
      this.#free += 1;
      for (const owner of new Set(turn.owners)) {
        const left = (this.#running.get(owner) ?? 0) - 1;
        if (left > 0) this.#running.set(owner, left);
        else this.#running.delete(owner);
      }
      this.#beginWhatMay();
    }
  }

  #turn({ owners, isAhead = false, signal, left = () => new Error("left") }: Turn): Promise<void> {
    if (signal?.aborted) return Promise.reject(left());
    const lines = isAhead ? this.#lines.ahead : this.#lines.others;
    const [owner] = owners;
    const line = lines.get(owner) ?? [];
    return new Promise((resolve, reject) => {
      const leave = () => {
        remove(lines, waiting);
        reject(left());
      };
      const begin = AsyncResource.bind(() => {
        signal?.removeEventListener("abort", leave);
        resolve();
      });
      const waiting = { owners, begin };
      line.push(waiting);
      lines.set(owner, line);
      this.#beginWhatMay();
      if (!line.includes(waiting)) return;
      const { waitingOfOwner = Infinity, waiting: most = Infinity, refusal } = this.#bounds;
      const ofOwner = waitingOf(this.#lines.ahead, owner) + waitingOf(this.#lines.others, owner);
      if (ofOwner > waitingOfOwner || waitingIn(lines) > most) {
        remove(lines, waiting);
        reject(refusal?.() ?? new Error("too many wait"));
      } else signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #beginWhatMay(): void {
    while (this.#free > 0) {
      const lines = [this.#lines.ahead, this.#lines.others].find((some) => this.#next(some));
      const next = lines && this.#next(lines);
      if (!lines || !next) return;
      const [owner] = next.owners;
      remove(lines, next);
      const others = lines.get(owner);
      lines.delete(owner);
      if (others) lines.set(owner, others); // after the other owners
      this.#free -= 1;
      for (const one of new Set(next.owners)) this.#running.set(one, (this.#running.get(one) ?? 0) + 1);
      next.begin();
    }
  }

  #next(lines: Lines): Waiting | undefined {
    const { atOnce, ofOwner = atOnce } = this.#bounds;
    const most = typeof ofOwner === "number" ? () => ofOwner : ofOwner;
    const mayRun = (owner: string) => (this.#running.get(owner) ?? 0) < most(owner);
    for (const [owner, line] of lines) {
      const next = mayRun(owner) ? line.find(({ owners }) => owners.every(mayRun)) : undefined;
      if (next) return next;
    }
    return undefined;
  }
}

type Lines = Map<string, Waiting[]>;

interface Waiting {
  readonly owners: readonly [string, ...string[]];
  readonly begin: () => void;
}

function remove(lines: Lines, waiting: Waiting): void {
  const [owner] = waiting.owners;
  const line = lines.get(owner) ?? [];
  line.splice(line.indexOf(waiting), 1);
  if (line.length === 0) lines.delete(owner);
}

const waitingOf = (lines: Lines, owner: string): number => lines.get(owner)?.length ?? 0;

const waitingIn = (lines: Lines): number => [...lines.values()].reduce((sum, line) => sum + line.length, 0);
