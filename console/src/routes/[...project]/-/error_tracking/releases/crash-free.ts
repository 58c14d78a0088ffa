/**
 * A crash-free share in percent. Cut and never rounded up: `100 %` means that nothing crashed at all. From 99 on with
 * two digits, because releases differ there.
 */
export function crashFreeText(percent: number): string {
  if (percent >= 100) return "100\u00a0%";
  if (percent > 0 && percent < 0.1) return "< 0.1\u00a0%";
  return `${percent < 99 ? cut(percent, 10) : cut(percent, 100)}\u00a0%`;
}

/** The smallest step of a share of four billion sessions is larger than the amount added here against 9956.999…. */
const cut = (percent: number, steps: number) => Math.floor(percent * steps + 1e-6) / steps;
