import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isWholeBuffer } from "../bundle/bundle-bytes.ts";
import type { CompiledMapping, MappingToCompile } from "../proguard/mapping-index.ts";
import { mappingTooLarge } from "../proguard/read-mapping.ts";
import type { CompiledMap } from "./compile.ts";
import { MapError } from "./map-limits.ts";
import {
  bytesOf,
  errorOf,
  type Identified,
  type MapJob,
  type PackedFile,
  type ThreadAnswer,
  type ThreadJob,
  type ThreadResult,
} from "./thread-jobs.ts";

/** How maps are compiled. Tests lower the limits. */
export interface CompilerOptions {
  readonly threadCount: number;
  /** A map that takes longer is refused. */
  readonly msPerMap: number;
  /** A thread without work ends after that: it keeps 25 MiB, and takes 0.1 s to start. */
  readonly idleMs: number;
  /**
   * The V8 heap in MiB of a thread for source maps: the script, the sources that name its functions, and for a while the tree of
   * the largest function. Typed arrays are outside of it, and are bounded by the limits of a map.
   */
  readonly heapMiB: number;
  /** The same of a thread for mappings of ProGuard or R8: 125 MiB of names take 430. */
  readonly mappingHeapMiB: number;
}

const defaults: CompilerOptions = {
  threadCount: Math.max(Math.min(2, availableParallelism() - 1), 1),
  msPerMap: 60_000,
  idleMs: 30_000,
  heapMiB: 80,
  mappingHeapMiB: 512,
};

/** Time between two files of an upload counts as work up to this bound, because compiled files are stored then. */
const storingMs = 100;

/** The bound of a thread: with V8's own choice a hostile script makes it 48. */
const youngMiB = 8;

interface Waiting {
  readonly job: ThreadJob;
  readonly resolve: (result: ThreadResult) => void;
  readonly reject: (error: Error) => void;
}

/** Unpacks and compiles maps outside of the event loop, in threads that start when there is work, and end after it. */
export class MapCompiler {
  readonly #options: CompilerOptions;
  readonly #waiting: Waiting[] = [];
  readonly #threads = new Set<CompilerThread>();
  #restedMs = 0;
  #isStopped = false;

  constructor(options: Partial<CompilerOptions> = {}) {
    this.#options = { ...defaults, ...options };
  }

  /** As `identifiersOf`, of each file, still packed. Fails as `compile`, and with a BundleError if a file is damaged. */
  identify(files: readonly PackedFile[]): Promise<readonly Identified[]> {
    return this.#do({ files }) as Promise<readonly Identified[]>; // as the thread answers this job
  }

  /**
   * As compileMap or compileMapping does. Bytes are handed over when they are all of their buffer, and gone then. Fails with a
   * MapError, also for a map that takes too much time or memory; with a BundleError if a file is damaged; and with another
   * error when the compiler is stopped.
   */
  compile(job: MapJob): Promise<CompiledMap>;
  compile(job: MappingToCompile): Promise<CompiledMapping>;
  compile(job: MapJob | MappingToCompile): Promise<ThreadResult> {
    return this.#do(job);
  }

  #do(job: ThreadJob): Promise<ThreadResult> {
    if (this.#isStopped) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#assign();
    });
  }

  /** How long threads rested with an answer in hand, in all: an upload waits meanwhile, and nobody works for it. */
  get restedMs(): number {
    return this.#restedMs;
  }

  /** The threads that run. */
  get threadCount(): number {
    return this.#threads.size;
  }

  /** Ends the threads; what they compile and what waits fails. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopped());
    await Promise.all([...this.#threads].map((thread) => thread.end(stopped())));
  }

  #assign(): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const idle = [...this.#threads].filter(({ isIdle }) => isIdle);
      const heapMiB = "mapping" in next.job ? this.#options.mappingHeapMiB : this.#options.heapMiB;
      const thread = idle.find((one) => one.heapMiB === heapMiB) ?? this.#start(heapMiB);
      if (!thread) {
        void idle[0]?.end(stopped()); // it has another heap; its end makes room
        return;
      }
      this.#waiting.shift();
      thread.compile(next);
    }
  }

  #start(heapMiB: number): CompilerThread | undefined {
    if (this.#threads.size >= this.#options.threadCount) return undefined;
    const thread: CompilerThread = new CompilerThread(
      { ...this.#options, heapMiB },
      {
        free: () => this.#assign(),
        rests: (ms) => (this.#restedMs += ms),
        ended: () => {
          this.#threads.delete(thread);
          if (!this.#isStopped) this.#assign();
        },
      },
    );
    this.#threads.add(thread);
    return thread;
  }
}

const stopped = () => new Error("The compiler of source maps is stopped.");

/** The report of a thread: it has nothing to do, it rests, or it is gone. */
interface ThreadEvents {
  readonly free: () => void;
  readonly rests: (ms: number) => void;
  readonly ended: () => void;
}

/** A thread, its work, and the timer of either. */
class CompilerThread {
  readonly #worker: Worker;
  readonly #options: Omit<CompilerOptions, "mappingHeapMiB">;
  readonly #events: ThreadEvents;
  readonly #pace = new Pace();
  #work: Waiting | undefined;
  #startedAt = 0;
  #settledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(options: Omit<CompilerOptions, "mappingHeapMiB">, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
    // Next to the package's entry, because the bundle of the service does not hold this program.
    const program = new URL("mapping/compile-thread.ts", import.meta.resolve("@faultline/source-maps"));
    this.#worker = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMiB, maxYoungGenerationSizeMb: youngMiB },
    });
    this.#worker.on("message", (answer: ThreadAnswer) => this.#answer(answer));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => {
      this.#fail(new Error("The thread that compiles source maps ended."));
      this.#events.ended();
    });
  }

  get heapMiB(): number {
    return this.#options.heapMiB;
  }

  get isIdle(): boolean {
    return !this.#work && !this.#isEnding;
  }

  compile(work: Waiting): void {
    this.#work = work;
    const now = performance.now();
    this.#startedAt = now - Math.min(now - this.#settledAt, storingMs);
    this.#worker.ref();
    this.#after(this.#options.msPerMap, () => void this.end(tooCostly(work.job, `${this.#options.msPerMap / 1000} s`)));
    const { job } = work;
    const whole = bytesOf(job).filter(isWholeBuffer);
    try {
      this.#worker.postMessage(
        job,
        whole.map(({ buffer }) => buffer),
      );
    } catch (error) {
      this.#take()?.reject(error as Error); // the bytes were handed over before
      this.#idle();
    }
  }

  async end(error: Error): Promise<void> {
    this.#isEnding = true;
    this.#fail(error);
    await this.#worker.terminate();
  }

  #answer(answer: ThreadAnswer): void {
    const now = performance.now();
    const restMs = this.#pace.restAfter(now - this.#startedAt, now);
    if (restMs > 0) this.#rest(restMs, () => this.#settle(answer));
    else this.#settle(answer);
  }

  /** The upload waits for its answer meanwhile, so that the event loop is busy only with what others want. */
  #rest(ms: number, settle: () => void): void {
    const before = performance.eventLoopUtilization();
    this.#events.rests(ms);
    this.#after(ms, () => {
      this.#pace.saw(performance.eventLoopUtilization(before).utilization, performance.now());
      settle();
    });
  }

  #settle(answer: ThreadAnswer): void {
    const work = this.#take();
    this.#settledAt = performance.now();
    this.#idle();
    if ("result" in answer) work?.resolve(answer.result);
    else work?.reject(errorOf(answer.refusal));
  }

  /** Until the next map, or the end: it does not keep the process alive by itself. */
  #idle(): void {
    this.#worker.unref();
    this.#after(this.#options.idleMs, () => void this.end(stopped()));
    this.#timer?.unref();
    this.#events.free();
  }

  #fail(error: Error & { readonly code?: string }): void {
    this.#isEnding = true;
    const isOutOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    const work = this.#take();
    work?.reject(isOutOfMemory ? tooCostly(work.job, `${this.#options.heapMiB} MiB of memory`) : error);
  }

  #take(): Waiting | undefined {
    clearTimeout(this.#timer);
    const work = this.#work;
    this.#work = undefined;
    return work;
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}

const tooCostly = (job: ThreadJob, cost: string) =>
  "mapping" in job
    ? mappingTooLarge(`takes more than ${cost} to compile`)
    : new MapError(
        "map_too_large",
        `The source map takes more than ${cost} to compile. Split the bundle into smaller chunks.`,
      );

/** The least share of its time that a thread works, so that an upload continues in an error storm. */
const leastShare = 0.05;

/** A rest. A shorter one says little about the event loop. */
const shortestMs = 10;
const longestMs = 1_000;

/** A rest comes at least that often, because the load changes. */
const lookEachMs = 250;

/**
 * Lets a thread work in a smaller share of its time the busier the event loop is in its rests, when no upload keeps it busy: all of
 * it while nothing is received, a quarter at 500 events a second. Even with a core to spare, what streams through its
 * memory slows down the other threads: events took 1.15 times as long while files of 60 MiB were inflated.
 */
export class Pace {
  /** The share of time in which the event loop was busy, from 0 to 1. */
  #busy = 0;
  #owedMs = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** How long to rest after work of `workMs`; 0 for no rest. `now` in milliseconds of any clock. */
  restAfter(workMs: number, now: number): number {
    const share = Math.max((1 - this.#busy) ** 3, leastShare);
    this.#owedMs += workMs * (1 / share - 1);
    if (this.#owedMs < shortestMs && now - this.#lookedAt < lookEachMs) return 0;
    const restMs = Math.min(Math.max(this.#owedMs, shortestMs), longestMs);
    this.#owedMs = 0;
    return restMs;
  }

  /** The event loop was busy for a share of a rest, from 0 to 1, which ended `now`. */
  saw(busy: number, now: number): void {
    this.#busy = this.#lookedAt === Number.NEGATIVE_INFINITY ? busy : (this.#busy + busy) / 2;
    this.#lookedAt = now;
  }
}
