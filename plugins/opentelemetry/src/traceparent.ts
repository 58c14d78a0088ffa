import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";

/** Parses a W3C `traceparent` (Trace Context, level 2); undefined when it is invalid. Later versions may add parts. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const parts = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? "");
  if (!parts || (parts[1] === "00" && parts[5] !== undefined)) return undefined;
  const [, , traceId = "", spanId = "", flags = ""] = parts;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
  return isSpanContextValid(context) ? context : undefined;
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
