import type { ComparisonTerm } from "./term.ts";

/** Whether a release is `end`, or a greater semantic version of the same package: `web@2.10.0` comes after `web@2.9.1`. */
export function isAtOrAfter(release: string, end: string): boolean {
  if (release === end) return true;
  const [one, other] = [versionOf(release), versionOf(end)];
  return one !== undefined && other !== undefined && one.package === other.package && isGreater(one, other);
}

/**
 * The order of two releases: below 0, 0 or above 0; undefined: none, as one of them is no semantic version, or both name
 * packages that differ. A version without a package is compared with any.
 */
function compareReleases(release: string, other: string): number | undefined {
  if (release === other) return 0;
  const [one, two] = [versionOf(release), versionOf(other)];
  if (!one || !two || (two.package !== "" && one.package !== two.package)) return undefined;
  if (isGreater(one, two)) return 1;
  return isGreater(two, one) ? -1 : 0;
}

/** Whether a release stands in the order that a comparison asks for; one without an order does not. */
export function isInOrder(
  release: string,
  { operator, operand }: Pick<ComparisonTerm, "operator" | "operand">,
): boolean {
  const order = compareReleases(release, operand);
  if (order === undefined) return false;
  return order === 0 ? operator.includes("=") : order > 0 === operator.startsWith(">");
}

interface Version {
  readonly package: string;
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
}

/**
 * Semantic Versioning 2.0.0, with or without a package in front; build metadata after a `+` has no precedence (section
 * 10).
 */
const form = /^(?:(.*)@)?v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]*)?$/s;

function versionOf(release: string): Version | undefined {
  const [whole, name = "", major, minor, patch, pre = ""] = form.exec(release) ?? [];
  if (whole === undefined) return undefined;
  return { package: name, numbers: [major, minor, patch].map(Number), pre: pre === "" ? [] : pre.split(".") };
}

function isGreater(one: Version, other: Version): boolean {
  for (const [n, number] of one.numbers.entries()) {
    const against = other.numbers[n] ?? 0;
    if (number !== against) return number > against;
  }
  // Section 11: a version without a pre-release comes after those with one.
  if (one.pre.length === 0 || other.pre.length === 0) return one.pre.length === 0 && other.pre.length > 0;
  for (const [n, part] of one.pre.entries()) {
    const against = other.pre[n];
    if (against === undefined) return true;
    if (part !== against) return isPartGreater(part, against);
  }
  return false;
}

function isPartGreater(one: string, other: string): boolean {
  const areNumbers = [one, other].map((part) => /^\d+$/.test(part));
  if (areNumbers[0] && areNumbers[1]) return Number(one) > Number(other);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[1] === true; // numbers come before words
  return one > other;
}
