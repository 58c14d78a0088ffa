import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readPrometheusText } from "../support/assert/prometheus-text.ts";

const text = suite("prometheus text");

const head = (name: string, type: string) => `# HELP ${name} Help.\n# TYPE ${name} ${type}\n`;

text("counters, gauges and histograms are read by name and labels", () => {
  const families = readPrometheusText(
    `${head("a_total", "counter")}a_total{b="x y",c="\\""} 1\n\n${head("d", "gauge")}d -2.5\n` +
      `${head("e", "histogram")}e_bucket{le="1"} 1\ne_bucket{le="+Inf"} 2\ne_sum 3\ne_count 2\n`,
  );
  assert.is(families.get("a_total")?.samples.get('a_total{b="x y",c="\\""}'), 1);
  assert.is(families.get("d")?.samples.get("d"), -2.5);
  assert.is(families.get("e")?.samples.get("e_count"), 2);
});

const faults: [what: string, text: string][] = [
  ["a last line without an end", `${head("a", "gauge")}a 1`],
  ["a sample without a type", "a 1\n"],
  ["a type without help", "# TYPE a gauge\na 1\n"],
  ["a family twice", `${head("a", "gauge")}a 1\n${head("a", "gauge")}`],
  ["a series twice", `${head("a", "gauge")}a 1\na 1\n`],
  ["a sample of another family", `${head("a", "gauge")}b 1\n`],
  ["a counter of another name", `${head("a", "counter")}a 1\n`],
  ["a counter below 0", `${head("a_total", "counter")}a_total -1\n`],
  ["a quote that is not escaped", `${head("a", "gauge")}a{b="""} 1\n`],
  ["a label's name with a dash", `${head("a", "gauge")}a{b-c="1"} 1\n`],
  ["what is not a number", `${head("a", "gauge")}a x\n`],
  ["no number", `${head("a", "gauge")}a NaN\n`],
  ["buckets that fall", `${head("a", "histogram")}a_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n`],
  ["a last bucket that lacks some", `${head("a", "histogram")}a_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n`],
  ["a histogram without its last bucket", `${head("a", "histogram")}a_bucket{le="1"} 1\na_sum 1\na_count 1\n`],
];

for (const [what, wrong] of faults) text(`${what} is refused`, () => assert.throws(() => readPrometheusText(wrong)));

text.run();
