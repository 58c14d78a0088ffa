import { Rotation } from "./rotation.ts";
import { threadMs } from "./thread-time.ts";

/** The bodies begun in one turn of the event loop: two milliseconds of work at 5 kB, 7 to 11 at 64 kB. */
const bodiesATurn = 16;

/**
 * A turn ends after so many milliseconds of work, however few bodies it began. Sixteen usual bodies must fit: with 8 ms
 * batches of 64 kB were a seventh smaller, and an event of a small batch costs more.
 */
const msATurn = 16;

/** Bodies are usual as long as one takes no longer, in milliseconds: the mean of those that were begun together. */
const usualMs = 1;

/**
 * The order in which bodies are decoded and parsed. The projects with waiting bodies are served in rotation, one body each,
 * so that a flood of expensive ones delays a body of another project by one of them and not by all. Only a few are begun
 * before the event loop handles other events, above all the end of a batch: until it is handled, the next batch does not
 * begin. In one go, 64 bodies of 5 kB would take 6 ms.
 *
 * Usual bodies are begun together, twice as many each time, and so go through each step one after the other: one by one an
 * event of 5 kB took 28 microseconds more. Once they take longer they are begun one by one.
 */
export class FairParse {
  readonly #workedMs: () => number;
  readonly #waiting = new Rotation<Waiting>();
  #isAtWork = false;
  /** How many bodies are begun together. */
  #together = 1;

  /** `workedMs`: the milliseconds for which the event loop has computed so far. */
  constructor(workedMs: () => number = threadMs) {
    this.#workedMs = workedMs;
  }

  /**
   * Resolves when it is the turn of another body of the project. `worked` receives the milliseconds for which the event loop
   * then computed, until the request waited for something else; the mean, where several were begun together.
   */
  next(projectId: number, worked: (ms: number) => void): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(projectId, { begin, worked });
      if (this.#isAtWork) return;
      this.#isAtWork = true;
      setImmediate(() => this.#take());
    });
  }

  #take(): void {
    const beganAt = this.#workedMs();
    let lastAt = beganAt;
    let begun = 0;
    const goOn = () => {
      const bodies = this.#begin(Math.min(this.#together, bodiesATurn - begun));
      begun += bodies.length;
      afterMicrotasks(() => {
        const now = this.#workedMs();
        this.#charge(bodies, (now - lastAt) / bodies.length);
        lastAt = now;
        if (this.#waiting.isEmpty) this.#isAtWork = false;
        else if (begun < bodiesATurn && now - beganAt < msATurn) goOn();
        else setImmediate(() => this.#take());
      });
    };
    goOn();
  }

  #begin(count: number): Waiting[] {
    const bodies: Waiting[] = [];
    while (bodies.length < count) {
      const body = this.#waiting.shift();
      if (!body) break;
      bodies.push(body);
    }
    for (const { begin } of bodies) begin();
    return bodies;
  }

  #charge(bodies: readonly Waiting[], ms: number): void {
    this.#together = ms > usualMs ? 1 : Math.min(2 * this.#together, bodiesATurn);
    for (const { worked } of bodies) worked(ms);
  }
}

/** A body whose turn has not come. */
interface Waiting {
  readonly begin: () => void;
  readonly worked: (ms: number) => void;
}

/** Runs `next` once all microtasks have run, so when the body that was begun last waits for something else. */
function afterMicrotasks(next: () => void): void {
  queueMicrotask(() => process.nextTick(next)); // a tick of a microtask runs behind all of them
}
