import type { Pattern, Term } from "@faultline/plugin/search";
import { ErrorStatus, type Error as ErrorMessage } from "@faultline/proto";

/** An error with all of which searches are evaluated the slow way. */
export interface SearchedError {
  readonly error: ErrorMessage;
  /** `<key>\0<value>`. */
  readonly tags: ReadonlySet<string>;
  /** As `<kind>:<name>`. */
  readonly users: ReadonlySet<string>;
}

/** Whether an error meets one term of a search, evaluated the slow way. */
export function matches(searched: SearchedError, term: Term, now: number): boolean {
  return isMet(searched, term, now) !== term.isNegated;
}

function isMet({ error, tags, users }: SearchedError, term: Term, now: number): boolean {
  if (term.of === "text") {
    return [error.title, error.value, error.culprit].some((field) => contains(field, [term.text]));
  }
  const { key } = term;
  const values = term.isTag ? tagValues(tags, key) : valuesOf({ error, tags, users }, key);
  switch (term.of) {
    case "presence":
      return values.some((value) => value !== "");
    case "value": {
      const isOne = (value: string) =>
        term.values.some((pattern) => {
          const isText = !term.isTag && ["message", "value", "culprit"].includes(key);
          return isText ? contains(value, pattern) : isLike(value, pattern);
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

/** A text in its forms, letter by letter; with wildcards, its parts in their order. */
function contains(field: string, pattern: Pattern): boolean {
  if (pattern.length > 1) return isLike(asciiSmall(field), ["", ...pattern.map(asciiSmall), ""]);
  const [searched] = pattern;
  const small = searched.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [searched, small, searched.toUpperCase(), first.toUpperCase() + rest.join("")];
  return forms.some((form) => asciiSmall(field).includes(asciiSmall(form)));
}

function isLike(value: string, pattern: Pattern): boolean {
  const escaped = pattern.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "su").test(value);
}
