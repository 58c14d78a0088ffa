import { type Pattern, type Term } from "@faultline/plugin/search";
import { ErrorStatus, type Error as ErrorMessage } from "@faultline/proto";

/** An error with all facts that a slow search needs. */
export interface SearchedError {
  readonly error: ErrorMessage;
  /** `<key>\0<value>`. */
  readonly tags: ReadonlySet<string>;
  /** `<kind>:<name>`. */
  readonly users: ReadonlySet<string>;
}

/**
 * How searches are evaluated. `isIndexed` is false while the index of tags is filled; then only the case of ASCII
 * letters is ignored.
 */
interface How {
  readonly now: number;
  readonly isIndexed: boolean;
}

/** Whether an error meets a term of a search, evaluated the slow way. */
export function matches(searched: SearchedError, term: Term, how: How): boolean {
  return isMet(searched, term, how) !== term.isNegated;
}

function isMet(searched: SearchedError, term: Term, { now, isIndexed }: How): boolean {
  const { error, tags } = searched;
  if (term.of === "text") {
    return [error.title, error.value, error.culprit].some((field) => contains(field, [term.text]));
  }
  const { key } = term;
  const values = term.isTag ? tagValues(tags, key) : valuesOf(searched, key);
  switch (term.of) {
    case "presence":
      return values.some((value) => value !== "");
    case "value": {
      const isOne = (value: string) =>
        term.values.some((pattern) => {
          const isText = !term.isTag && ["message", "value", "culprit"].includes(key);
          if (isText) return contains(value, pattern);
          const isOfError = !term.isTag && ["type", "platform"].includes(key);
          return formsOf(term.isTag ? "" : key, pattern).some((form) => isLike(value, form, isIndexed && !isOfError));
        });
      return term.isOnly ? values.some(isOne) && values.every(isOne) : values.some(isOne);
    }
    case "comparison":
      return values.some((value) =>
        compares(
          value,
          term.operator,
          key.endsWith("Seen") && key !== "timesSeen" ? time(term.operand, now) : Number(term.operand),
        ),
      );
  }
}

/** Only the forms that the releases of the test have. */
const formsOf = (key: string, [first, ...others]: Pattern): Pattern[] =>
  key === "release" && first !== "" && !first.includes("@")
    ? [
        [first, ...others],
        ["", `@${first}`, ...others],
        [`${first}@`, ""],
      ]
    : [[first, ...others]];

function valuesOf({ error, tags, users }: SearchedError, key: string): string[] {
  const named = (kind: string) => [
    ...Array.from(users, (user) => (user.startsWith(`${kind}:`) ? user.slice(kind.length + 1) : "")).filter(Boolean),
    ...tagValues(tags, `user.${kind}`),
  ];
  const ofError: Readonly<Record<string, () => readonly string[]>> = {
    is: () => [
      { [ErrorStatus.RESOLVED]: "resolved", [ErrorStatus.IGNORED]: "ignored" }[error.status as 2] ?? "unresolved",
    ],
    level: () => [error.level],
    type: () => [error.type],
    value: () => [error.value],
    message: () => [error.title, error.value],
    culprit: () => [error.culprit],
    platform: () => [error.platform],
    timesSeen: () => [String(error.eventCount)],
    users: () => [String(error.affectedUserCount)],
    firstSeen: () => [String(Number(error.firstSeenTime?.seconds ?? 0n) * 1000)],
    lastSeen: () => [String(Number(error.lastSeenTime?.seconds ?? 0n) * 1000)],
    transaction: () => [...tagValues(tags, key), error.culprit],
    user: () => ["id", "email", "username", "ip"].flatMap(named),
  };
  if (key.startsWith("user.")) return named(key.slice("user.".length));
  return [...(ofError[key]?.() ?? tagValues(tags, key))];
}

const tagValues = (tags: ReadonlySet<string>, key: string) =>
  [...tags].flatMap((tag) => (tag.startsWith(`${key}\0`) ? tag.slice(key.length + 1) : []));

function time(operand: string, now: number): number {
  const [, count = "0", unit = "h"] = /^[-+](\d+)([mhdw])$/.exec(operand) ?? [];
  return now - Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[unit as "m"];
}

function compares(value: string, operator: string, operand: number): boolean {
  const number = Number(value);
  const results: Readonly<Record<string, boolean>> = {
    ">": number > operand,
    ">=": number >= operand,
    "<": number < operand,
    "<=": number <= operand,
    "=": number === operand,
  };
  return results[operator] ?? false;
}

const asciiSmall = (one: string) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether a field contains a text in one of its forms, letter by letter; with wildcards, its parts in order. */
function contains(field: string, pattern: Pattern): boolean {
  if (pattern.length > 1) return isLike(field, ["", ...pattern, ""], false);
  const [searched] = pattern;
  const small = searched.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [searched, small, searched.toUpperCase(), first.toUpperCase() + rest.join("")];
  return forms.some((form) => asciiSmall(field).includes(asciiSmall(form)));
}

/**
 * Whether a value has the parts of a pattern in order. The case of letters is ignored, beyond ASCII only in the first
 * part.
 */
function isLike(value: string, [first, ...others]: Pattern, ofAllLetters: boolean): boolean {
  const letter = (one: string) => {
    const [small, large] = [one.toLowerCase(), one.toUpperCase()];
    const both = one === small || one === large ? [small, large].filter((form) => Array.from(form).length === 1) : [];
    return `(?:${[one, ...both].map(escaped).join("|")})`;
  };
  const small = asciiSmall(value);
  const ascii = new RegExp(`^${[first, ...others].map((part) => escaped(asciiSmall(part))).join(".*")}$`, "su");
  if (!ofAllLetters) return ascii.test(small);
  const begun = new RegExp(`^${Array.from(first, letter).join("")}`, "su").exec(value)?.[0];
  if (begun === undefined) return false;
  const rest = asciiSmall(value.slice(begun.length));
  const further = others.map((part) => `.*${escaped(asciiSmall(part))}`).join("");
  return new RegExp(`^${further}$`, "su").test(rest);
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
