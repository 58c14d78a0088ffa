import { dayMs, hourMs } from "@faultline/plugin";
import type { ComparisonTerm } from "@faultline/plugin/search";

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: dayMs, w: 7 * dayMs };

/**
 * The times that a comparison means, in milliseconds since 1970: from the first to before the second. A date is the
 * whole day, a time without seconds the whole minute; without a zone both are in UTC.
 */
export function timesOf({ operator, operand }: ComparisonTerm, now: number): { from: number; to: number } {
  const [start, end] = spanOf(operand, now);
  const last = Number.MAX_SAFE_INTEGER;
  switch (operator) {
    case ">":
      return { from: end, to: last };
    case ">=":
      return { from: start, to: last };
    case "<":
      return { from: 0, to: start };
    case "<=":
      return { from: 0, to: end };
    case "=":
      return { from: start, to: end };
  }
}

function spanOf(operand: string, now: number): readonly [start: number, end: number] {
  const [, count, unit = "h"] = /^[-+](\d+)([mhdw])$/.exec(operand) ?? [];
  if (count !== undefined) {
    const time = Math.max(0, now - Number(count) * (unitMs[unit] ?? hourMs));
    return [time, time + 1];
  }
  if (!operand.includes("T")) {
    const day = Date.parse(operand);
    return [day, day + dayMs];
  }
  const time = Date.parse(/(?:Z|[-+]\d\d:\d\d)$/.test(operand) ? operand : `${operand}Z`);
  const ms = /:\d\d:\d\d\.\d/.test(operand)
    ? 1
    : /:\d\d:\d\d/.test(operand.replace(/[-+]\d\d:\d\d$/, ""))
      ? 1000
      : 60_000;
  return [time, time + ms];
}
