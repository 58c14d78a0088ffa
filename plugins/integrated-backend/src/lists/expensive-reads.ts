import { ServiceError, type BackendCall, type Counter, type Host } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { AbortableQueryOptions } from "kysely";

/** How long a read may run after its turn came. */
const usualLimitMs = 3_000;

/** Reads of one user that may wait; more are refused. */
const maxWaiting = 5;

/** A read that may have to scan everything in a project. */
export interface ExpensiveRead<T> {
  readonly projectId: number;
  /** A sentence for a person whose read takes too long: what to do next. */
  readonly advice: string;
  /** The limits apply to every statement: they cancel it in the database when the caller leaves or the time is over. */
  run(limits: AbortableQueryOptions): Promise<T>;
}

/**
 * Schedules expensive reads, so that nobody can keep others from reading. A user, and a project, has one at a time: any
 * user may create projects without end, and a project may have many users. Users take turns, however many reads each of
 * them has waiting.
 */
export class ExpensiveReads {
  readonly #limitMs: number;
  readonly #ended: Counter | undefined;
  #free: number;
  readonly #users = new Set<number>();
  readonly #projects = new Set<number>();
  /** Waiting reads by user; the user whose turn was longest ago comes first. */
  readonly #waiting = new Map<number, Waiting[]>();

  /** `limitMs`: default 3,000. `ended` counts the reads by their result. */
  constructor(options: { atOnce: number; limitMs?: number; ended?: Counter }) {
    this.#free = options.atOnce;
    this.#limitMs = options.limitMs ?? usualLimitMs;
    this.#ended = options.ended;
  }

  /** Reads that metrics tell about. */
  static measured(atOnce: number, metrics: Host["metrics"]): ExpensiveReads {
    const ended = metrics.counter(
      "faultline_expensive_reads_total",
      "Searches, breakdowns of errors, lists of releases and counts of sessions, by how they ended.",
      ["end"],
    );
    const reads = new ExpensiveReads({ atOnce, ended });
    metrics.gauge(
      "faultline_expensive_reads_under_way",
      "Those that run or wait for their turn.",
      () => reads.underWay,
    );
    return reads;
  }

  /**
   * Runs a read when its turn comes; one whose caller left never begins. Refuses with TOO_MANY_ATTEMPTS when too many of
   * the user wait, and with READ_TOO_EXPENSIVE when the time is over.
   */
  async take<T>({ userId = 0, signal }: BackendCall, { projectId, advice, run }: ExpensiveRead<T>): Promise<T> {
    await this.#turn({ userId, projectId }, signal);
    const late = AbortSignal.timeout(this.#limitMs);
    try {
      const ends = signal ? AbortSignal.any([signal, late]) : late;
      const answer = await run({ signal: ends, inflightQueryAbortStrategy: "cancel query" });
      this.#count("answered");
      return answer;
    } catch (error) {
      if (signal?.aborted) throw this.#left();
      if (!late.aborted) {
        this.#count("failed");
        throw error;
      }
      this.#count("too_long");
      throw new ServiceError(
        ErrorReason.READ_TOO_EXPENSIVE,
        `This took longer than ${this.#limitMs / 1_000} s and was ended. ${advice}`,
      );
    } finally {
      this.#free += 1;
      this.#users.delete(userId);
      this.#projects.delete(projectId);
      this.#beginWhatMay();
    }
  }

  /** Reads that run or wait. */
  get underWay(): number {
    return this.#users.size + [...this.#waiting.values()].reduce((sum, line) => sum + line.length, 0);
  }

  #turn({ userId, projectId }: Reader, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw this.#left();
    const line = this.#waiting.get(userId) ?? [];
    if (line.length >= maxWaiting) {
      this.#count("refused");
      throw new ServiceError(
        ErrorReason.TOO_MANY_ATTEMPTS,
        `You have ${maxWaiting + 1} searches or other slow reads under way. Wait until one of them has ended.`,
        { retryAfterSeconds: Math.ceil(this.#limitMs / 1_000) },
      );
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(waiting);
        reject(this.#left());
      };
      const begin = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { userId, projectId, begin };
      signal?.addEventListener("abort", leave, { once: true });
      line.push(waiting);
      this.#waiting.set(userId, line);
      this.#beginWhatMay();
    });
  }

  #beginWhatMay(): void {
    while (this.#free > 0) {
      const next = this.#next();
      if (!next) return;
      this.#remove(next);
      const others = this.#waiting.get(next.userId);
      this.#waiting.delete(next.userId);
      if (others) this.#waiting.set(next.userId, others); // after the other users
      this.#free -= 1;
      this.#users.add(next.userId);
      this.#projects.add(next.projectId);
      next.begin();
    }
  }

  #next(): Waiting | undefined {
    for (const [userId, line] of this.#waiting) {
      const next = this.#users.has(userId) ? undefined : line.find(({ projectId }) => !this.#projects.has(projectId));
      if (next) return next;
    }
    return undefined;
  }

  #remove(waiting: Waiting): void {
    const line = this.#waiting.get(waiting.userId) ?? [];
    line.splice(line.indexOf(waiting), 1);
    if (line.length === 0) this.#waiting.delete(waiting.userId);
  }

  /** The refusal for a caller that has left. */
  #left(): ServiceError {
    this.#count("left");
    return new ServiceError(ErrorReason.OVERLOADED, "The caller left before the answer was there.");
  }

  #count(end: "answered" | "left" | "too_long" | "refused" | "failed"): void {
    this.#ended?.of(end).add();
  }
}

interface Reader {
  readonly userId: number;
  readonly projectId: number;
}

interface Waiting extends Reader {
  readonly begin: () => void;
}
