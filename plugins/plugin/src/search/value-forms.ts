import { searchKey } from "./keys.ts";
import type { Named, Pattern } from "./term.ts";

/**
 * The patterns of the values that a pattern asks for: `release:1.2.0` asks for `web@1.2.0+7` as well. The first of them is
 * the pattern itself.
 */
export function valueForms({ key, isTag }: Named, pattern: Pattern): readonly Pattern[] {
  const { kind, before = [], after = [] } = (isTag ? undefined : searchKey(key)) ?? {};
  // The parts of a release come in one order: a package is the first, and a build the last.
  const has = (mark: string) => kind === "release" && pattern.some((part, n) => part.includes(mark, n === 0 ? 1 : 0));
  const starts = pattern[0] === "" || has("@") ? [] : before;
  const ends = pattern.length > 1 && pattern.at(-1) === "" ? [] : after.filter((mark) => !has("+") && !has(mark));
  const begun = [pattern, ...starts.map((mark) => withStart(pattern, mark))];
  const whole = begun.flatMap((form) => [form, ...ends.map((mark) => withEnd(form, mark))]);
  return kind === "release" && isCommit(pattern) ? [...whole, ...begun.map((form) => withEnd(form, ""))] : whole;
}

/** Whether it is the beginning of a commit, as pages show it. */
const isCommit = ([first, ...others]: Pattern) =>
  others.length === 0 && /^(?:(?=.*[a-f])[0-9a-f]{7,39}|\d{10,39})$/i.test(first);

const withStart = ([first, ...others]: Pattern, mark: string): Pattern => ["", mark + first, ...others];

function withEnd(pattern: Pattern, mark: string): Pattern {
  const [first, ...others] = pattern;
  const last = others.pop();
  return last === undefined ? [first + mark, ""] : [first, ...others, last + mark, ""];
}

/** Whether a value is one that patterns of a key ask for. The case of letters does not matter. */
export function isAskedFor(value: string, named: Named, patterns: readonly Pattern[]): boolean {
  const small = value.toLowerCase();
  return patterns.some((pattern) => valueForms(named, pattern).some((form) => isLike(small, smallOf(form))));
}

const smallOf = ([first, ...others]: Pattern): Pattern => [
  first.toLowerCase(),
  ...others.map((part) => part.toLowerCase()),
];

/** Whether a value has the texts of a pattern in their order. */
function isLike(value: string, [first, ...others]: Pattern): boolean {
  const last = others.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  let rest = value.slice(first.length, value.length - last.length);
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}
