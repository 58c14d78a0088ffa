/**
 * `1,204`, for a whole number. Not by `Intl.NumberFormat`: its first use costs each page load 57 ms on a processor
 * slowed down four times, because the browser loads its language data.
 */
export const fullNumber = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");

/**
 * `1,204`, from 10,000 on `12.3k`, from a million on `1.2M`. Cut, not rounded, so that it never overstates the number.
 */
export function shortNumber(value: number): string {
  if (value < 10_000) return fullNumber(value);
  if (value < 1_000_000) return `${cut(value / 1000)}k`;
  return `${cut(value / 1_000_000)}M`;
}

const cut = (value: number) => String(Math.floor(value * 10) / 10);

/** A count that the service stops at 1,000, which is shown as `999+`. */
export const cappedNumber = (value: number) => (value >= 1000 ? "999+" : String(value));

/** `1 event`, `2 events`. */
export const counted = (count: number, noun: string) => `${fullNumber(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `812 bytes`, `4.1 kB`, `12.3 MB`, `1.2 GB`: units of 1,000. Cut, not rounded. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  if (bytes < 1_000_000) return `${cut(bytes / 1000)} kB`;
  if (bytes < 1_000_000_000) return `${cut(bytes / 1_000_000)} MB`;
  return `${cut(bytes / 1_000_000_000)} GB`;
}
