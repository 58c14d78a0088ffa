import type { MessageInitShape } from "@bufbuild/protobuf";
import { ErrorSort, type ErrorSchema } from "@faultline/proto";

type ErrorInit = MessageInitShape<typeof ErrorSchema>;

/**
 * Filters lists that arrive one after another down to the errors that can be among the first of all of them together.
 */
export class FirstErrors {
  readonly #size: number;
  readonly #valueOf: (error: ErrorInit) => number;
  /** The sort values of the first errors so far, in order. */
  #values: number[] = [];

  constructor(size: number, sort: ErrorSort) {
    this.#size = size;
    this.#valueOf = valueOf[sort] ?? lastSeen;
  }

  /** Leaves out the errors that certainly come after the first ones of all lists so far. */
  of(errors: readonly ErrorInit[]): ErrorInit[] {
    const values = errors.map(this.#valueOf);
    this.#values = [...this.#values, ...values].toSorted((a, b) => b - a).slice(0, this.#size);
    const least = this.#values.length < this.#size ? -Infinity : (this.#values.at(-1) ?? -Infinity);
    return errors.filter((error) => this.#valueOf(error) >= least);
  }
}

const lastSeen = ({ lastSeenTime }: ErrorInit) => milliseconds(lastSeenTime);

const valueOf: Readonly<Record<ErrorSort, (error: ErrorInit) => number>> = {
  [ErrorSort.UNSPECIFIED]: lastSeen,
  [ErrorSort.LAST_SEEN]: lastSeen,
  [ErrorSort.FIRST_SEEN]: ({ firstSeenTime }) => milliseconds(firstSeenTime),
  [ErrorSort.EVENT_COUNT]: ({ eventCount = 0 }) => eventCount,
  [ErrorSort.USER_COUNT]: ({ affectedUserCount = 0 }) => affectedUserCount,
};

const milliseconds = (time: ErrorInit["lastSeenTime"]) =>
  Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1_000_000;
