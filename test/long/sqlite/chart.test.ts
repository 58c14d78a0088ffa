import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { helmProgram } from "../../support/deploy/helm-program.ts";
import { renderedChart } from "../../support/deploy/rendered-chart.ts";
import { repositoryRoot } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

const helm = helmProgram();
if (helm === undefined) console.log("Left out: there is no helm. Build it: node test/support/deploy/helm-program.ts");
const withHelm = helm === undefined ? test.skip : test;

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) console.log("Left out: there is no promtool, which comes with Prometheus.");
const withPromtool = hasPromtool ? test : test.skip;

withHelm(
  "the network policy lets out mail, traces and the configured networks and ports, and no more by default",
  () => {
    const usual = renderedChart("networkpolicy.yaml");
    const portsIn = (text: string) => [...text.matchAll(/port: (\d+), protocol: TCP/g)].map(([, port]) => Number(port));
    assert.equal(portsIn(usual), [53, 5432, 4222, 25, 465, 587, 80, 443, 9000]);
    const configured = renderedChart("networkpolicy.yaml", {
      "environment.FAULTLINE_OUTBOUND_NETWORKS": "10.0.0.0/8, 192.168.1.7,fd12::1",
      "environment.FAULTLINE_OUTBOUND_PORTS": "8443",
      "environment.OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.internal:4318",
    });
    assert.equal(portsIn(configured), [53, 5432, 4222, 25, 465, 587, 4318, 80, 443, 9000, 8443]);
    for (const network of ["10.0.0.0/8", "192.168.1.7/32", "fd12::1/128"]) {
      assert.not.match(usual, `cidr: "${network}"`);
      assert.match(configured, `cidr: "${network}"`);
    }
  },
);

/** The job of a target that the chart's ServiceMonitor makes: the value of its jobLabel, or the name of the service. */
const jobs = ["faultline", "errors-bridge"];

withHelm("the service monitor gives all its targets the job of the alerts", () => {
  assert.match(renderedChart("servicemonitor.yaml"), /^\s+jobLabel: app\.kubernetes\.io\/name$/m);
  assert.match(renderedChart("deployments.yaml"), /^\s+app\.kubernetes\.io\/name: faultline$/m);
});

for (const job of jobs)
  withPromtool(`of the job ${job} the alerts Down, Memory and Files fire, and not of other programs`, () => {
    const of = (name: string, instance: string, values: string, own = job) =>
      `      - { series: '${name}{job="${own}", instance="${instance}"}', values: '${values}' }`;
    const down = "1x5 0x30";
    const path = join(tempDir(), "alerts.test.yaml");
    const fires = (alertname: string, instance: string, severity: string, summary: string) => `
      - eval_time: 30m
        alertname: ${alertname}
        exp_alerts:
          - exp_labels: { severity: ${severity}, job: ${job}, instance: ${instance} }
            exp_annotations: { summary: "${summary}" }`;
    writeFileSync(
      path,
      `rule_files: [${join(repositoryRoot, "deploy/prometheus/alerts.yaml")}]
tests:
  - interval: 1m
    input_series:
${[
  of("up", "gone:8080", down),
  of("faultline_build_info", "gone:8080", "1x5 stale"),
  of("up", "large:8080", "1x40"),
  of("faultline_build_info", "large:8080", "1x40"),
  of("process_resident_memory_bytes", "large:8080", "700000000x40"),
  of("process_open_fds", "large:8080", "95x40"),
  of("process_max_fds", "large:8080", "100x40"),
  of("up", "other:9100", down, "node"),
  of("process_resident_memory_bytes", "other:9100", "900000000x40", "node"),
  of("process_open_fds", "other:9100", "99x40", "node"),
  of("process_max_fds", "other:9100", "100x40", "node"),
].join("\n")}
    alert_rule_test:${[
      fires("FaultlineDown", "gone:8080", "critical", "gone:8080 does not answer"),
      fires(
        "FaultlineMemory",
        "large:8080",
        "warning",
        "large:8080 uses 600 MiB of memory; we measured 425 MiB at overload",
      ),
      fires("FaultlineFiles", "large:8080", "warning", "large:8080 is running out of file descriptors"),
    ].join("")}
`,
    );
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", path], { encoding: "utf8" });
    assert.is(status, 0, `${stdout}${stderr}`);
  });

test.run();
