import { callerLeft, ServiceError, type BackendCall, type Counter, type Host } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
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
  readonly #queue: FairQueue;

  /** `limitMs`: default 3,000. `ended` counts the reads by their result. */
  constructor({ atOnce, limitMs = usualLimitMs, ended }: { atOnce: number; limitMs?: number; ended?: Counter }) {
    this.#limitMs = limitMs;
    this.#ended = ended;
    this.#queue = new FairQueue({
      atOnce,
      ofOwner: 1,
      waitingOfOwner: maxWaiting,
      refusal: () => {
        this.#count("refused");
        return new ServiceError(
          ErrorReason.TOO_MANY_ATTEMPTS,
          `You have ${maxWaiting + 1} searches or other slow reads in progress. Wait until one of them has ended.`,
          { retryAfterSeconds: Math.ceil(limitMs / 1_000) },
        );
      },
    });
  }

  /** Reads that metrics tell about. */
  static measured(atOnce: number, metrics: Host["metrics"]): ExpensiveReads {
    const ended = metrics.counter(
      "faultline_expensive_reads_total",
      "Searches, breakdowns of errors, lists of releases and counts of sessions, by how they ended.",
      ["end"],
    );
    const reads = new ExpensiveReads({ atOnce, ended });
    metrics.gauge("faultline_expensive_reads_under_way", "Slow reads that run or wait.", () => reads.underWay);
    return reads;
  }

  /**
   * Runs a read when its turn comes; one whose caller left never begins. Refuses with TOO_MANY_ATTEMPTS when too many of
   * the user wait, and with READ_TOO_EXPENSIVE when the time is over.
   */
  async take<T>({ userId = 0, signal }: BackendCall, { projectId, advice, run }: ExpensiveRead<T>): Promise<T> {
    const owners = [`user ${userId}`, `project ${projectId}`] as const;
    return this.#queue.run({ owners, signal, left: () => this.#left() }, async () => {
      const late = AbortSignal.timeout(this.#limitMs);
      const ends = signal ? AbortSignal.any([signal, late]) : late;
      try {
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
          `This took longer than ${this.#limitMs / 1_000} s and was canceled. ${advice}`,
        );
      }
    });
  }

  /** Reads that run or wait. */
  get underWay(): number {
    return this.#queue.underWay;
  }

  /** The refusal for a caller that has left. */
  #left(): ServiceError {
    this.#count("left");
    return callerLeft();
  }

  #count(end: "answered" | "left" | "too_long" | "refused" | "failed"): void {
    this.#ended?.of(end).add();
  }
}
