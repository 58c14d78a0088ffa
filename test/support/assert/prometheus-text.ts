/** All samples of a metric. */
export interface MetricFamily {
  readonly type: string;
  readonly help: string;
  /** Samples by name and labels, such as `requests_total{kind="page",status="200"}`. */
  readonly samples: Map<string, number>;
}

/**
 * Reads Prometheus' text format 0.0.4. Fails if the text breaks the documentation, and on faults that a scrape accepts
 * but people do not: a repeated family or series, a counter without the suffix `_total`, a histogram that does not add
 * up.
 */
export function readPrometheusText(text: string): Map<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, MetricFamily>();
  let help: { name: string; text: string } | undefined;
  let current: { name: string; family: MetricFamily } | undefined;
  for (const line of text.split("\n").slice(0, -1)) {
    if (line === "") continue;
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    const [, word, name = "", rest = ""] = comment ?? [];
    if (word === "HELP") {
      help = { name, text: rest };
    } else if (word === "TYPE") {
      if (help?.name !== name) throw new Error(`${name} has no help before its type`);
      if (families.has(name)) throw new Error(`${name} comes twice`);
      if (!["counter", "gauge", "histogram"].includes(rest)) throw new Error(`${name} is a ${rest}`);
      if ((rest === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${rest}`);
      current = { name, family: { type: rest, help: help.text, samples: new Map() } };
      families.set(name, current.family);
    } else {
      if (!current) throw new Error(`a sample before any type: ${line}`);
      readSample(line, current.name, current.family);
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/;
const sample = new RegExp(
  `^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${label.source}(?:,${label.source})*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)$`,
);

function readSample(line: string, family: string, { type, samples }: MetricFamily): void {
  const [, name = "", labels = ""] = sample.exec(line) ?? [];
  const value = Number(line.slice(line.lastIndexOf(" ") + 1));
  const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => family + end) : [family];
  if (!names.includes(name)) throw new Error(`not a sample of the ${type} ${family}: ${line}`);
  if (Number.isNaN(value)) throw new Error(`not a number: ${line}`);
  if (type !== "gauge" && value < 0) throw new Error(`a count below 0: ${line}`);
  const series = labels === "" ? name : `${name}{${labels}}`;
  if (samples.has(series)) throw new Error(`the series comes twice: ${line}`);
  samples.set(series, value);
}

/** Checks that the buckets rise, and that the last bucket holds every sample. */
function checkHistogram(name: string, { samples }: MetricFamily): void {
  const counts = new Map<string, number>();
  let last = { series: "", bound: Number.NEGATIVE_INFINITY, value: 0 };
  for (const [key, value] of samples) {
    const [, bound = ""] = /le="([^"]+)"/.exec(key) ?? [];
    if (bound === "") continue;
    const series = key
      .replace(/,?le="[^"]+"/, "")
      .replace("{,", "{")
      .replace("{}", "")
      .replace("_bucket", "_count");
    const upper = bound === "+Inf" ? Infinity : Number(bound);
    const isNext = last.series === series;
    if (isNext && (upper <= last.bound || value < last.value)) throw new Error(`${key} falls behind ${last.bound}`);
    last = { series, bound: upper, value };
    if (upper === Infinity) counts.set(series, value);
  }
  if (counts.size === 0 && samples.size > 0) throw new Error(`${name} has no last bucket`);
  for (const [series, count] of counts) {
    if (samples.get(series) !== count) throw new Error(`${series} is not what its last bucket holds`);
  }
}
