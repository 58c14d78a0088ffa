import { readSearch, type AskedValue, type NewValue, type ValueName } from "@faultline/plugin";
import { isAboutEvents, isInOrder, isLike, type Term, type TextTerm } from "@faultline/plugin/search";

type NamedTerm = Exclude<Term, TextTerm>;

/** What a term compares values of. Undefined: it is about the error as a whole, or about users, whose number has no bound. */
function nameOf(term: Term): ValueName | undefined {
  if (!isAboutEvents(term) || (!term.isTag && term.key.startsWith("user"))) return undefined;
  return !term.isTag && term.key === "level" ? { kind: "level", name: "" } : { kind: "tag", name: term.key };
}

/** The values that may make an error match a filter that it did not match before. */
export const askedValues = (filter: string): AskedValue[] =>
  readSearch(filter).flatMap((term) => {
    const named = nameOf(term);
    if (!named || term.of === "text") return [];
    if (term.of === "presence" && term.isNegated) return []; // no value makes it true
    if (term.of !== "value" || term.isNegated) return [{ ...named, text: "", isExact: false }];
    return term.values.map((pattern) => ({ ...named, text: pattern[0], isExact: pattern.length === 1 }));
  });

/**
 * Whether a value is the first of its error that meets what a filter says of such values. An error without any value meets what
 * only excludes some.
 */
export function isFirstMatch(filter: string, value: NewValue): boolean {
  const terms = readSearch(filter).filter((term): term is NamedTerm => isOf(term, value));
  if (terms.length === 0) return false;
  if (value.earlier.length === 0 && terms.every(({ isNegated }) => isNegated)) return false;
  const isMet = (one: string) => terms.every((term) => meets(one, term) !== term.isNegated);
  return isMet(value.value) && !value.earlier.some(isMet);
}

/** The terms of a filter that a first match does not meet by itself. `all:` is also about the values before. */
export const termsBeside = (filter: string, value: ValueName): Term[] =>
  readSearch(filter).filter((term) => !isOf(term, value) || (term.of === "value" && term.isOnly));

function isOf(term: Term, { kind, name }: ValueName): boolean {
  const named = nameOf(term);
  return named !== undefined && named.kind === kind && named.name === name;
}

function meets(value: string, term: NamedTerm): boolean {
  if (term.of === "value") return term.values.some((pattern) => isLike(value, pattern));
  return term.of === "presence" || isInOrder(value, term);
}
