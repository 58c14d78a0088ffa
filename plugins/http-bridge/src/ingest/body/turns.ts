/** Bodies that are taken up in one turn of the event loop: two milliseconds of work at 5 kB, seven at 64 kB. */
const bodiesATurn = 16;

/** After so many milliseconds of work a turn ends, however few bodies it took up. */
const msATurn = 8;

/**
 * The order in which bodies are decoded and parsed. The projects with waiting bodies are served in rotation, one body each,
 * so that a flood of expensive ones delays a body of another project by one of them and not by all. Only a few are taken up
 * before the event loop looks again at what else happened, above all at the batch that was stored: while that goes
 * unnoticed, the next one does not begin. In one go, 64 bodies of 5 kB would take 6 ms.
 */
export class Turns {
  readonly #workedMs: () => number;
  /** The bodies that wait, by project; the project that is served next comes first. */
  readonly #waiting = new Map<number, Waiting[]>();
  #isAtWork = false;

  /** `workedMs`: the milliseconds for which the event loop has computed so far. */
  constructor(workedMs: () => number = threadMs) {
    this.#workedMs = workedMs;
  }

  /**
   * Resolves when it is the turn of another body of the project. `worked` receives the milliseconds for which the event loop
   * then computed, until the request waited for something else.
   */
  next(projectId: number, worked: (ms: number) => void): Promise<void> {
    return new Promise((begin) => {
      const ofProject = this.#waiting.get(projectId);
      if (ofProject) ofProject.push({ begin, worked });
      else this.#waiting.set(projectId, [{ begin, worked }]);
      if (this.#isAtWork) return;
      this.#isAtWork = true;
      setImmediate(() => this.#take());
    });
  }

  #take(): void {
    const beganAt = this.#workedMs();
    let lastAt = beganAt;
    let begun = 0;
    let last: Waiting | undefined;
    const goOn = () => {
      if (last) {
        const now = this.#workedMs();
        last.worked(now - lastAt);
        lastAt = now;
      }
      last = begun++ < bodiesATurn && lastAt - beganAt < msATurn ? this.#shift() : undefined;
      if (last) {
        last.begin();
        afterMicrotasks(goOn);
        return;
      }
      this.#isAtWork = this.#waiting.size > 0;
      if (this.#isAtWork) setImmediate(() => this.#take());
    };
    goOn();
  }

  #shift(): Waiting | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [projectId, bodies] = first;
    const body = bodies.shift();
    this.#waiting.delete(projectId);
    if (bodies.length > 0) this.#waiting.set(projectId, bodies);
    return body;
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

/** The processor time of this thread: what other programs take meanwhile does not count. A call takes 0.8 microseconds. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
