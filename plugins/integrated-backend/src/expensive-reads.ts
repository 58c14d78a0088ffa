import { callerLeft, ServiceError, type BackendCall, type Counter, type Host } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { AbortableQueryOptions } from "kysely";

/** The time limit of a running read. Waiting does not count. */
const usualLimitMs = 3_000;

/** Waiting reads per user; more are refused. */
const maxWaiting = 5;

/** A read that may have to scan everything in a project. */
export interface ExpensiveRead<T> {
  readonly projectId: number;
  /** A sentence for a person after a read took too long, with the next step to take. */
  readonly advice: string;
  /**
   * The limits apply to every statement. They cancel it in the database when the caller leaves or the time limit is
   * reached.
   */
  run(limits: AbortableQueryOptions): Promise<T>;
}

/**
 * Schedules expensive reads, so that nobody can keep others from reading. Each user and each project has one running
 * read at a time: a user may create any number of projects, and a project may have many users. Users take turns,
 * regardless of their number of waiting reads.
 */
export class ExpensiveReads {
  readonly #limitMs: number;
  readonly #ended: Counter | undefined;
  readonly #queue: FairQueue;

  /** `limitMs` defaults to 3,000. `ended` counts the reads by their result. */
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

  /** Creates the schedule with metrics. */
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
   * Runs a read when its turn comes, unless its caller has left. Refuses with TOO_MANY_ATTEMPTS if the user has too
   * many waiting reads, and with READ_TOO_EXPENSIVE if the read exceeds the time limit.
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

  /** The number of running and waiting reads. */
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
