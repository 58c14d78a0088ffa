import type { JsonObject } from "@faultline/sentry-event";
import { maxQuantity } from "../limits.ts";

/** The category of each item type that is left aside, in the words of rate limits (section 3). */
const categoryOfType: Readonly<Record<string, string>> = {
  attachment: "attachment",
  check_in: "monitor",
  event: "error",
  feedback: "feedback",
  log: "log_item",
  metric_buckets: "metric_bucket",
  metric_meta: "metric_bucket",
  metrics: "metric_bucket",
  nel: "security",
  otel_log: "log_item",
  otel_span: "span",
  profile: "profile",
  profile_chunk: "profile",
  profile_chunk_ui: "profile",
  raw_security: "security",
  replay_event: "replay",
  replay_recording: "replay",
  replay_video: "replay",
  security: "security",
  session: "session",
  sessions: "session",
  span: "span",
  statsd: "metric_bucket",
  trace_metric: "trace_metric",
  transaction: "transaction",
  user_report: "feedback",
};

/** The category of an item; `default` for unknown types. */
export function categoryOf(type: string): string {
  return Object.hasOwn(categoryOfType, type) ? (categoryOfType[type] ?? "default") : "default";
}

/** The number of entries in an item: containers of logs and spans give it in their header. */
export function quantityOf(header: JsonObject): number {
  const count = header["item_count"];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? Math.min(count, maxQuantity) : 1;
}
