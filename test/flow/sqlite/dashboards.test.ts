import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { readPrometheusText } from "../../support/assert/prometheus-text.ts";
import { repositoryRoot } from "../../support/service/server.ts";

const { server } = await runningServer();
const families = readPrometheusText((await http(`${server.url}/-/metrics`)).text);
const textOf = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");

/** All names that a query could read. */
const series = new Set(
  [...families].flatMap(([name, { type }]) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
  ),
);

/** Names of metrics in a text. */
const namesIn = (text: string) => text.match(/\b(?:faultline|process|nodejs)_[a-z0-9_]+\b/g) ?? [];

/** The queries of the dashboard. */
function queriesOf(panel: unknown): string[] {
  const { targets = [] } = panel as { targets?: { expr: string }[] };
  return targets.map(({ expr }) => expr);
}

test("the dashboard asks for metrics that exist, and for most of them", () => {
  const { panels } = JSON.parse(textOf("deploy/grafana/faultline.json")) as { panels: unknown[] };
  const asked = new Set(panels.flatMap(queriesOf).flatMap(namesIn));
  assert.ok(asked.size > 20);
  assert.equal(
    [...asked].filter((name) => !series.has(name)),
    [],
  );
});

test("each alert asks for metrics that exist, and docs/operations.md says what to do about it", () => {
  const rules = textOf("deploy/prometheus/alerts.yaml");
  const alerts = [...rules.matchAll(/- alert: (\w+)\n\s+expr: ((?:.|\n)+?)\n\s+(?:for|labels):/g)];
  assert.is(alerts.length, rules.match(/- alert:/g)?.length);
  const operations = textOf("docs/operations.md");
  for (const [, name = "", query = ""] of alerts) {
    assert.equal(
      namesIn(query).filter((metric) => !series.has(metric)),
      [],
      name,
    );
    assert.match(operations, `\`${name}\``);
  }
});

test("docs/operations.md names each metric, and none that does not exist", () => {
  const named = new Set(namesIn(textOf("docs/operations.md")));
  assert.equal(
    [...families.keys()].filter((name) => !named.has(name)),
    [],
  );
  const known = new Set([...series, ...families.keys()]);
  assert.equal(
    [...named].filter((name) => !known.has(name)),
    [],
  );
});

test.run();
