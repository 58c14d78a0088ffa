import type { Backlog } from "@faultline/plugin";
import { isKnown } from "../services/instance/ingest-lag.ts";
import type { MetricRegistry } from "../host/metrics/registry.ts";

/** Measures the queue between acceptance and storage. Without one these metrics have no value. */
export function measureQueue(metrics: MetricRegistry, backlog: Backlog | undefined): void {
  const known = () => {
    const lag = backlog?.lag();
    return isKnown(lag) ? lag : undefined;
  };
  metrics.gauge(
    "faultline_queue_connected",
    "1 while the queue's servers respond to this process, otherwise 0.",
    () => {
      return backlog && Number(backlog.isConnected() && known() !== undefined);
    },
  );
  metrics.gauge(
    "faultline_queue_lag_seconds",
    "The age of the oldest message that waits to be stored; 0 if none waits.",
    () => {
      const lag = known();
      return lag && lag.lagMs / 1000;
    },
  );
  metrics.gauge(
    "faultline_queue_pending_messages",
    "Messages that wait to be stored, each of one event or many.",
    () => {
      return known()?.pending;
    },
  );
  metrics.gauge("faultline_dead_letters", "Dead letters of all processes that are kept.", () => {
    return backlog?.deadLetters.kept;
  });
  metrics.total("faultline_dead_letters_total", "Dead letters that this process created.", () => {
    return backlog?.deadLetters.made ?? 0;
  });
}
