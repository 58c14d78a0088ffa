/**
 * The numbers that operators watch. Names begin with `faultline_` and follow Prometheus: base units, `_total` for
 * counters. Label values are words from a fixed set, and never come from a sender, a user or a project.
 */
export interface Metrics {
  /** Makes a counter. Throws if the name is taken. */
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** Makes a gauge that is read when metrics are scraped. It is not shown if `read` fails or returns undefined. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void;
  /** Makes a histogram. `bounds` are the upper ends of its buckets, in ascending order. */
  histogram(name: string, help: string, bounds: readonly number[], labels?: readonly string[]): Histogram;
}

export type Reading = number | undefined;

/** A counter with a value for each combination of label values. */
export interface Counter {
  /** The count with these label values, in the order of the names. Callers that add often should keep it. */
  of(...values: readonly string[]): Tally;
}

/** One count. Adding to it costs an addition. */
export interface Tally {
  add(count?: number): void;
}

/** A histogram, separate for each combination of label values. */
export interface Histogram {
  of(...values: readonly string[]): { observe(value: number): void };
}
