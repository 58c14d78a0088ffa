import type { Clock, Log, Tracing } from "@faultline/plugin";
import pino from "pino";
import type { Config } from "../config.ts";
import { version } from "../version.ts";
import { measureProcess } from "../host/metrics/core-metrics.ts";
import { MetricRegistry } from "../host/metrics/registry.ts";
import { OwnErrors } from "../host/own-errors/own-errors.ts";
import { reportingLog } from "../host/own-errors/reporting-log.ts";
import type { Stops } from "../host/stops.ts";
import type { TracingConfig } from "../host/tracing/tracing-config.ts";

export type Telemetry = Awaited<ReturnType<typeof openTelemetry>>;

type OpenTracing = (
  config: TracingConfig | undefined,
  log: Log,
) => Promise<(Tracing & { stop(): Promise<void> }) | undefined>;

/** The first phase of a start: the log, reports of own errors, metrics and traces. */
export async function openTelemetry(
  config: Config,
  { clock, stops, openTracing }: { clock: Clock; stops: Stops; openTracing: OpenTracing },
) {
  const lines = pino({ level: config.logLevel, name: "faultline" }, pino.destination({ dest: 2, sync: true }));
  const ownErrors = new OwnErrors({ log: lines, clock, version });
  const log = reportingLog(lines, ownErrors, "core");
  const metrics = new MetricRegistry();
  stops.add("measuring the process", measureProcess(metrics, version));
  const tracing = await openTracing(config.tracing, log);
  if (tracing) stops.add("sending the last traces", () => tracing.stop());
  const logOf = (plugin: string) => reportingLog(lines.child({ plugin }), ownErrors, plugin);
  return { log, logOf, ownErrors, metrics, tracing };
}
