/** Arithmetic of the bar chart and the sparks: numbers in, numbers and SVG paths out. */

const niceSteps = [1, 2, 4, 6, 8, 10];

/** The top of the axis: an even number, so that half of it is whole, at least 4, and not below `maximum`. */
export function axisTop(maximum: number): number {
  if (maximum <= 4) return 4;
  const magnitude = 10 ** Math.floor(Math.log10(maximum));
  const step = niceSteps.find((candidate) => candidate * magnitude >= maximum) ?? 10;
  const top = step * magnitude;
  return top % 2 === 0 ? top : top + 1;
}

/** Bars as one path, in a box 100 units high with one unit per bar. A bar above zero shows at least 1.5 units. */
export function barPath(counts: readonly number[], top: number, gap = 0.12): string {
  return counts
    .map((count, index) => (count === 0 ? "" : bar(index, { height: Math.max((count / top) * 100, 1.5) }, gap)))
    .join("");
}

/**
 * Parts of bars as one path each, stacked from the bottom. A part above zero shows at least 4 units: the chart must
 * show one crash among a thousand sessions.
 */
export function partPaths(parts: readonly (readonly number[])[], top: number, gap = 0.12): string[] {
  const bottoms: number[] = [];
  return parts.map((counts) =>
    counts
      .map((count, index) => {
        if (count === 0) return "";
        const bottom = bottoms[index] ?? 0;
        const height = Math.max((count / top) * 100, 4);
        bottoms[index] = bottom + height;
        return bar(index, { height, bottom }, gap);
      })
      .join(""),
  );
}

function bar(index: number, { height, bottom = 0 }: { height: number; bottom?: number }, gap: number): string {
  const left = index + gap / 2;
  return `M${round(left)} ${round(100 - bottom)}V${round(100 - bottom - height)}H${round(left + 1 - gap)}V${round(100 - bottom)}Z`;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** The index of the highest count; the last index if several are equal. */
export function peakIndex(counts: readonly number[]): number {
  return counts.reduce((best, count, index) => (count >= (counts[best] ?? 0) ? index : best), 0);
}

export const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Sums of 24 hours each; the last sum may cover fewer. */
export function dailyCounts(counts: readonly number[]): number[] {
  return Array.from({ length: Math.ceil(counts.length / 24) }, (_, day) => sum(counts.slice(day * 24, day * 24 + 24)));
}

/** The trend of a day in a word, for people who cannot see the spark. */
export function trendWord(counts: readonly number[]): "none" | "rising" | "steady" | "falling" {
  const half = Math.floor(counts.length / 2);
  const before = sum(counts.slice(0, half));
  const after = sum(counts.slice(half));
  if (before + after === 0) return "none";
  if (after > before * 1.5) return "rising";
  return before > after * 1.5 ? "falling" : "steady";
}
