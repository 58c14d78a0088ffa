import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import { maxEntries, maxQuantity } from "../limits.ts";
import { leftAside, type LeftAside } from "./left-aside.ts";

/** A count of items that an SDK did not send. */
export interface Discarded {
  readonly category: string;
  readonly reason: string;
  readonly quantity: number;
}

/** Reads a `client_report`: its `discarded_events`. Unknown words become `other` and `default`. */
export function readClientReport(report: JsonObject): (Discarded | LeftAside)[] {
  const sent = report["discarded_events"];
  if (!Array.isArray(sent)) return [leftAside("unreadable")];
  const read: (Discarded | LeftAside)[] = sent.slice(0, maxEntries.clientReport).map(readDiscarded);
  if (sent.length > read.length) read.push(leftAside("extra", sent.length - read.length));
  return read;
}

const reasons = new Set([
  "before_send",
  "backpressure",
  "buffer_overflow",
  "cache_overflow",
  "event_processor",
  "insufficient_data",
  "internal_sdk_error",
  "network_error",
  "queue_overflow",
  "ratelimit_backoff",
  "sample_rate",
  "send_error",
]);

const categories = new Set([
  "attachment",
  "error",
  "feedback",
  "log_byte",
  "log_item",
  "metric_bucket",
  "monitor",
  "profile",
  "replay",
  "security",
  "session",
  "span",
  "trace_metric",
  "transaction",
]);

// The words are a fixed set, so that no sender can fill the table of outcomes with new ones.
function readDiscarded(entry: JsonValue): Discarded | LeftAside {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return leftAside("unreadable");
  const { reason, category, quantity } = entry;
  if (typeof quantity !== "number" || !Number.isInteger(quantity) || quantity < 1) return leftAside("unreadable");
  return {
    reason: typeof reason === "string" && reasons.has(reason) ? reason : "other",
    category: typeof category === "string" && categories.has(category) ? category : "default",
    quantity: Math.min(quantity, maxQuantity),
  };
}
