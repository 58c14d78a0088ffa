import type { JsonField } from "./json/json.ts";

/** The severity of an event: fatal, error, warning, info or debug. Missing or unknown: `fallback`. */
export function readLevel(value: JsonField, fallback = "error"): string {
  if (typeof value === "string") return levels.get(value) ?? levels.get(value.trim().toLowerCase()) ?? fallback;
  return typeof value === "number" ? (levels.get(String(value)) ?? fallback) : fallback;
}

// `log` is Node's sixth level, numbers are those of Python's logging (section 5).
const levels = new Map([
  ["fatal", "fatal"],
  ["critical", "fatal"],
  ["50", "fatal"],
  ["error", "error"],
  ["40", "error"],
  ["warning", "warning"],
  ["warn", "warning"],
  ["30", "warning"],
  ["info", "info"],
  ["log", "info"],
  ["20", "info"],
  ["debug", "debug"],
  ["10", "debug"],
]);
