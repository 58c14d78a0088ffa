/**
 * The browser and the system that a User-Agent names. Each is empty where it names none that is known here. They are tags of
 * every event that is stored, and a deletion subtracts them as they are here: other names would leave counts behind, and a
 * library for User-Agents takes 14 microseconds instead of 0.35.
 */
export function readProduct(userAgent: string): { readonly browser: string; readonly os: string } {
  return { browser: firstOf(browsers, userAgent), os: firstOf(systems, userAgent) };
}

type Names = readonly (readonly [name: string, mark: RegExp])[];

// Browsers claim to be those before them, so the one with the fewest imitators comes first.
const browsers: Names = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+ .*Safari\//],
];

const systems: Names = [
  ["Windows", /\bWindows\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["macOS", /\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

function firstOf(names: Names, userAgent: string): string {
  return names.find(([, mark]) => mark.test(userAgent))?.[0] ?? "";
}
