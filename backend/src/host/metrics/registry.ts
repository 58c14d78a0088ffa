import type { Metrics, Reading } from "@faultline/plugin";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of one service, and their text for Prometheus. Knows nothing of other services in the process. */
export class MetricRegistry implements Metrics {
  readonly #registry = new Registry();

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  /** All metrics in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  // Counted here and handed over when scraped: prom-client's own counter builds and checks its labels at each addition.
  counter(name: string, help: string, labels: readonly string[] = []) {
    const tallies = new Map<string, { readonly labels: Record<string, string>; readonly tally: Count }>();
    const of = (...values: readonly string[]) => {
      const key = values.join("\n");
      let found = tallies.get(key);
      if (!found) {
        found = { labels: labelled(labels, values), tally: new Count() };
        tallies.set(key, found);
      }
      return found.tally;
    };
    if (labels.length === 0) of(); // shown from the start, as 0
    const options = {
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect(this: Counter) {
        this.reset();
        for (const { labels: ofTally, tally } of tallies.values()) this.inc(ofTally, tally.count);
      },
    };
    void new Counter(options);
    return { of };
  }

  /** Adds a count that is kept elsewhere. */
  total(name: string, help: string, read: () => number): void {
    const options = {
      name,
      help,
      registers: [this.#registry],
      collect(this: Counter) {
        this.reset();
        this.inc(read());
      },
    };
    void new Counter(options);
  }

  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    const options = {
      name,
      help,
      registers: [this.#registry],
      async collect(this: Gauge) {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => undefined); // only this metric is not shown then
        if (value === undefined) this.remove();
        else this.set(value);
      },
    };
    void new Gauge(options);
  }

  histogram(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []) {
    const histogram = new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: [...bounds],
      registers: [this.#registry],
    });
    const children = new Map<string, { observe(value: number): void }>();
    return {
      of: (...values: readonly string[]) => {
        const key = values.join("\n");
        const known = children.get(key);
        if (known) return known;
        const child = labels.length === 0 ? histogram : histogram.labels(labelled(labels, values));
        children.set(key, child);
        return child;
      },
    };
  }

  /** Adds facts as labels of a number that is always 1. */
  info(name: string, help: string, facts: Readonly<Record<string, string>>): void {
    new Gauge({ name, help, labelNames: Object.keys(facts), registers: [this.#registry] }).set(facts, 1);
  }
}

class Count {
  count = 0;

  add(count = 1): void {
    this.count += count;
  }
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  if (names.length !== values.length) throw new Error(`${names.length} labels have ${values.length} values`);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}
