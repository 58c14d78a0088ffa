import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { bytesUnderWay, unreadAnswers } from "@faultline/plugin";
import type { MetricRegistry } from "./registry.ts";

/** How often the lag of the event loop is sampled. */
const lagResolutionMs = 20;

/** Measures the process itself, under the names that dashboards know. Returns the function that stops it. */
export function measureProcess(metrics: MetricRegistry, version: string): () => void {
  metrics.info("faultline_build_info", "The release and its Node version; always 1.", {
    version,
    node: process.version,
  });
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  metrics.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", () => startedAt);
  metrics.gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  metrics.gauge("nodejs_heap_used_bytes", "Memory of JavaScript objects.", () => process.memoryUsage().heapUsed);
  metrics.gauge("nodejs_external_memory_bytes", "Memory of buffers.", () => process.memoryUsage().external);
  metrics.gauge("faultline_unfinished_requests_bytes", "Bytes of requests held in memory; at most 128 MiB.", () =>
    bytesUnderWay(),
  );
  metrics.gauge("faultline_unread_answers_bytes", "Bytes of answers that nobody has read yet; at most 64 MiB.", () => {
    return unreadAnswers.bytes;
  });
  metrics.gauge("process_open_fds", "Open file descriptors. Linux only.", () => openFiles());
  metrics.gauge("process_max_fds", "The limit of open file descriptors. Linux only.", () => openFileLimit());
  metrics.total("process_cpu_seconds_total", "Processor time of all threads.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.total("nodejs_event_loop_active_seconds_total", "Time in which the event loop was not idle.", () => {
    return performance.eventLoopUtilization().active / 1000;
  });
  const delay = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delay.enable();
  metrics.gauge("nodejs_event_loop_lag_max_seconds", "The longest lag of the event loop since the last scrape.", () => {
    const longestMs = delay.max / 1e6 - lagResolutionMs; // the delay includes the interval itself
    delay.reset();
    return Math.max(0, longestMs) / 1000;
  });
  return () => delay.disable();
}

/** Undefined where the system does not report it. */
function openFiles(): number | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc/self/fd").length - 1; // without the descriptor that lists them
}

function openFileLimit(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, limit = ""] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return limit === "" ? undefined : Number(limit);
}
