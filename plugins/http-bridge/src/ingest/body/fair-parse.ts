import { Rotation } from "./rotation.ts";
import { threadMs } from "./thread-time.ts";

/** The bodies begun in one turn of the event loop: 2 ms of work at 5 kB, 7 to 11 ms at 64 kB. */
const bodiesATurn = 16;

/**
 * A turn ends after this many milliseconds of work, even if it began fewer bodies. Sixteen usual bodies must fit: with
 * 8 ms, batches of 64 kB were a seventh smaller, and an event costs more in a small batch.
 */
const msATurn = 16;

/** Bodies count as usual up to this time in milliseconds, the mean of the bodies that began together. */
const usualMs = 1;

/**
 * The order in which bodies are decoded and parsed. Projects with waiting bodies are served in rotation, one body each,
 * so that a flood of expensive bodies delays a body of another project by only one of them. Only a few bodies begin
 * before the event loop handles other events, above all the end of a batch, because the next batch begins only after
 * it. In one step, 64 bodies of 5 kB would take 6 ms.
 *
 * Usual bodies begin together, twice as many each time, so that each step runs for all of them in sequence: one by one,
 * an event of 5 kB took 28 microseconds more. Once they take longer, they begin one by one.
 */
export class FairParse {
  readonly #workedMs: () => number;
  readonly #waiting = new Rotation<Waiting>();
  #isAtWork = false;
  /** How many bodies begin together. */
  #together = 1;

  /** `workedMs` returns the milliseconds that the event loop has computed so far. */
  constructor(workedMs: () => number = threadMs) {
    this.#workedMs = workedMs;
  }

  /**
   * Resolves when the project may process another body. `worked` receives the milliseconds that the event loop then
   * computed until the request waited for something else. If several bodies began together, it receives the mean.
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

/** A body that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  readonly worked: (ms: number) => void;
}

/** Runs `next` once all microtasks have run, which is when the body that began last waits for something else. */
function afterMicrotasks(next: () => void): void {
  queueMicrotask(() => process.nextTick(next)); // a tick of a microtask runs after all microtasks
}
