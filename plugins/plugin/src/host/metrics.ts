/**
 * The numbers that operators watch. Names begin with `faultline_` and follow Prometheus: base units, `_total` for
 * counters. Labels take words of a fixed set, never ones that a sender, a user or a project chose.
 */
export interface Metrics {
  /** Makes a counter; throws when there is one of that name. */
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** Makes a gauge, read when metrics are scraped; undefined or a failure: it is not shown. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void;
  /** Makes a histogram; `bounds` are the upper ends of its buckets, rising. */
  histogram(name: string, help: string, bounds: readonly number[], labels?: readonly string[]): Histogram;
}

export type Reading = number | undefined;

/** A counter with a value for each combination of label values. */
export interface Counter {
  /** The count with these label values, in the order of the names; to be kept where it is added to often. */
  of(...values: readonly string[]): Tally;
}

/** One count. Adding costs an addition. */
export interface Tally {
  add(count?: number): void;
}

/** A histogram, separate for each combination of label values. */
export interface Histogram {
  of(...values: readonly string[]): { observe(value: number): void };
}
