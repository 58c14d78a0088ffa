/** Browsers by the product in their User-Agent. Those that also carry another's product come before it. */
const browsers: readonly (readonly [name: string, product: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:(?:Headless)?Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/**
 * A User-Agent in words: `Firefox 131 on Windows`. One of no browser is answered up to its first space, such as
 * `curl/8.5.0`; an empty one as `Not known`.
 */
export function browserName(userAgent: string): string {
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0];
  for (const [name, product] of browsers) {
    const version = product.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}${system === undefined ? "" : ` on ${system}`}`;
  }
  return userAgent.trim().split(" ")[0] || "Not known";
}
