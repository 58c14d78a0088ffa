/** A browser by its User-Agent, and the first version that is not old. */
interface Browser {
  /** The first group is the version. */
  readonly pattern: RegExp;
  readonly youngest: number;
}

/**
 * The browsers of docs/filters.md. The first pattern that matches decides, as most name others in their User-Agent:
 * Opera and Edge name Chrome, and Chrome names Safari.
 */
const browsers: readonly Browser[] = [
  { pattern: /\bOpera Mini\/(\d+)/, youngest: 35 },
  { pattern: /\bOPR\/(\d+)/, youngest: 50 },
  { pattern: /\bOpera[/ ](\d+)/, youngest: 50 }, // up to 12
  { pattern: /\b(?:MSIE |IEMobile[/ ]|Trident\/)(\d+)/, youngest: Infinity }, // Internet Explorer, all versions
  { pattern: /\bEdge\/(\d+)/, youngest: 79 }, // later ones write `Edg/`
  { pattern: /\bFirefox\/(\d+)/, youngest: 67 },
  { pattern: /\b(?:Chrome|CriOS)\/(\d+)/, youngest: 63 },
  { pattern: /\bAndroid (\d+)[^)]*\).* Version\/\d/, youngest: Infinity }, // the Android Browser, which ended in 2014
  { pattern: /\bVersion\/(\d+)[\d.]*(?: Mobile\/\w+)? Safari\//, youngest: 12 },
];

/** Whether a User-Agent is that of a browser that is too old for today's code. */
export function isOldBrowser(userAgent: string): boolean {
  for (const { pattern, youngest } of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return Number(version) < youngest;
  }
  return false;
}
