/** Readers of the JSON that trackers answer: missing values and values of another type are empty. */

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // checked on this line
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A positive whole number as decimal digits. */
export const numberTextOf = (value: unknown): string =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? String(value) : "";

/** An http(s) address, because links to it are shown. */
export function pageOf(value: unknown): string {
  const url = URL.parse(textOf(value));
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= 2_000 ? url.href : "";
}
