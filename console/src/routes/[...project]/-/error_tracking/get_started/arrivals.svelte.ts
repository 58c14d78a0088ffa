import type { ErrorChanges, Refusal, Refusals, TrackedError } from "#lib/messages.ts";

/** The counts of the last 24 hours, when the page was read. */
interface Arrived {
  readonly readAt: number;
  readonly received: number;
  readonly refused: number;
  readonly eventCounts: readonly (readonly [errorId: string, eventCount: number])[];
  readonly more: boolean;
}

/** The arrivals while someone waits: events that are stored, and requests that are refused. */
export class Arrivals {
  /** Events that were received in the last 24 hours, and since. */
  received = $state(0);
  /** Requests that were refused in the last 24 hours, and since. */
  refused = $state(0);
  newestError = $state.raw<TrackedError>();
  newestRefusal = $state.raw<Refusal>();
  /** Refusals of the last ten minutes, and since. */
  recentRefusals = $state(0);

  readonly #eventCounts: Map<string, number>;
  readonly #readAt: number;
  readonly #more: boolean;
  /** The connection was lost: the next message may repeat the last one. */
  #mayRepeat = false;

  constructor({ received, refused, eventCounts, readAt, more }: Arrived) {
    this.received = received;
    this.refused = refused;
    this.#eventCounts = new Map(eventCounts);
    this.#readAt = readAt;
    this.#more = more;
  }

  takeErrors({ errors }: Pick<ErrorChanges, "errors">): void {
    for (const { errorId, eventCount } of errors) {
      // An error that is not known is new with all its events, unless it was beyond those that were listed.
      const before = this.#eventCounts.get(errorId) ?? (this.#more ? eventCount - 1 : 0);
      this.received += Math.max(0, eventCount - before);
      this.#eventCounts.set(errorId, eventCount);
    }
    this.newestError = errors[0] ?? this.newestError;
  }

  takeRefusals({ refusals, count }: Refusals): void {
    const known = timeOf(this.newestRefusal);
    const fresh = this.#mayRepeat ? refusals.filter((refusal) => timeOf(refusal) > known) : refusals;
    const unlisted = count - refusals.length; // of a storm the message holds the newest refusals and the number of all
    this.#mayRepeat = false;
    this.recentRefusals += fresh.length + unlisted;
    this.refused += fresh.filter((refusal) => timeOf(refusal) > this.#readAt).length + unlisted;
    this.newestRefusal = fresh.at(-1) ?? this.newestRefusal;
  }

  missed(): void {
    this.#mayRepeat = true;
  }
}

const timeOf = (refusal: Refusal | undefined) => Date.parse(refusal?.time ?? "") || 0;
