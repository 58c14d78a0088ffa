import type { ComparisonTerm } from "./term.ts";

/** Whether a release is `end`, or a greater version of the same package: `web@2.10.0` comes after `web@2.9.1`. */
export function isAtOrAfter(release: string, end: string): boolean {
  if (release === end) return true;
  const [one, other] = [versionOf(release), versionOf(end)];
  return one !== undefined && other !== undefined && one.package === other.package && isGreater(one, other);
}

/** Whether a release meets a comparison. A release without an order never does. */
export function isInOrder(
  release: string,
  { operator, operand }: Pick<ComparisonTerm, "operator" | "operand">,
): boolean {
  const order = compareReleases(release, operand);
  if (order === undefined) return false;
  return order === 0 ? operator.includes("=") : order > 0 === operator.startsWith(">");
}

/** Why no release can be compared with a text. Undefined if releases can be compared. */
export function incomparable(operand: string): string | undefined {
  const version = versionOf(operand, 1);
  if (!version) return `“${operand}” is not a version that can be ordered`;
  if (version.build === undefined || hasOrder(version.build)) return undefined;
  return `“${version.build.join(".")}” is not a number, so builds cannot be ordered. Leave out the +`;
}

/**
 * The order of a release and the operand of a search: below 0, 0 or above 0. Undefined if they have no order, because
 * one is not a version or both name different packages. A version without a package is compared with any package.
 */
function compareReleases(release: string, operand: string): number | undefined {
  const [one, two] = [versionOf(release), versionOf(operand, 1)];
  if (!one || !two) return undefined;
  if (two.package !== "" && one.package.toLowerCase() !== two.package.toLowerCase()) return undefined;
  if (two.build !== undefined && one.build !== undefined && !hasOrder(one.build)) return undefined;
  if (isGreater(one, two)) return 1;
  return isGreater(two, one) ? -1 : 0;
}

interface Version {
  readonly package: string;
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
  /** Undefined if the version names no build. */
  readonly build: readonly string[] | undefined;
}

/**
 * Semantic Versioning 2.0.0 with or without a package in front, also with two or four numbers, and with a pre-release
 * without a hyphen (the form of Python and Ruby). A single number may be a commit, so it is not a version.
 */
const form =
  /^(?:(.*)@)?v?(\d{1,15}(?:\.\d{1,15}){0,3})(?:-([\dA-Za-z.-]+)|\.?([A-Za-z][\dA-Za-z.-]*))?(?:\+([\dA-Za-z.-]*))?$/s;

function versionOf(release: string, leastNumbers = 2): Version | undefined {
  const [whole, name = "", numbers = "", hyphened = "", attached = "", build] = form.exec(release) ?? [];
  const parts = numbers.split(".").map(Number);
  if (whole === undefined || parts.length < leastNumbers) return undefined;
  const pre = hyphened === "" ? (attached.match(/\d+|[^\d.]+/g) ?? []) : hyphened.split(".");
  return { package: name, numbers: parts, pre, build: build === undefined ? undefined : build.split(".") };
}

const hasOrder = (build: readonly string[]) => build.every((part) => /^\d+$/.test(part));

/** Builds, which have no precedence (section 10), are compared if the other version names a build. */
function isGreater(one: Version, other: Version): boolean {
  for (let n = 0; n < Math.max(one.numbers.length, other.numbers.length); n++) {
    const [number, against] = [one.numbers[n] ?? 0, other.numbers[n] ?? 0];
    if (number !== against) return number > against;
  }
  // Section 11: a version without a pre-release comes after versions with a pre-release.
  if (one.pre.length === 0 || other.pre.length === 0) {
    if (one.pre.length !== other.pre.length) return one.pre.length === 0;
  } else {
    const order = compareParts(one.pre, other.pre);
    if (order !== 0) return order > 0;
  }
  return one.build !== undefined && other.build !== undefined && compareParts(one.build, other.build) > 0;
}

/** Section 11: compares part by part. If one list begins with the other, the longer list is greater. */
function compareParts(one: readonly string[], other: readonly string[]): number {
  for (const [n, part] of one.entries()) {
    const against = other[n];
    if (against === undefined) return 1;
    if (part !== against) return isPartGreater(part, against) ? 1 : -1;
  }
  return one.length - other.length;
}

function isPartGreater(one: string, other: string): boolean {
  const areNumbers = [one, other].map((part) => /^\d+$/.test(part));
  if (areNumbers[0] && areNumbers[1]) return Number(one) > Number(other);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[1] === true; // numbers come before words
  return one > other;
}
