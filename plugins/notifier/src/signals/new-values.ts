import { readSearch, type AskedValue, type NewValue, type ValueName } from "@faultline/plugin";
import {
  isAboutEvents,
  isAskedFor,
  isInOrder,
  tagsOf,
  valueForms,
  type Pattern,
  type Term,
  type TextTerm,
} from "@faultline/plugin/search";

type NamedTerm = Exclude<Term, TextTerm>;

/**
 * The names of the values that a term compares. Empty for a term about the error as a whole, or about users, because
 * their number is unbounded.
 */
function namesOf(term: Term): ValueName[] {
  if (!isAboutEvents(term) || (!term.isTag && term.key.startsWith("user"))) return [];
  if (!term.isTag && term.key === "level") return [{ kind: "level", name: "" }];
  const tags = tagsOf(term);
  return (tags.length > 0 ? tags : [term.key]).map((name) => ({ kind: "tag", name }));
}

/** The values that may cause an error to match a filter for the first time. */
export const askedValues = (filter: string): AskedValue[] =>
  readSearch(filter).flatMap((term) => {
    const names = namesOf(term);
    if (term.of === "text") return [];
    if (term.of === "presence" && term.isNegated) return []; // no value makes it true
    const isOne = term.of === "value" && !term.isNegated;
    const texts = isOne ? term.values.flatMap((value) => textsOf(term, value)) : [{ text: "", isExact: false }];
    return names.flatMap((named) => texts.map((text) => ({ ...named, ...text })));
  });

/** The usual spellings of a value. All values if a part of a value is enough. */
function textsOf(term: NamedTerm, value: Pattern): Pick<AskedValue, "text" | "isExact">[] {
  if (valueForms(term, value).length > 1) return [{ text: "", isExact: false }];
  const [text] = value;
  const spellings = [text, text.toLowerCase(), text.toUpperCase(), text.slice(0, 1).toUpperCase() + text.slice(1)];
  return Array.from(new Set(spellings), (spelling) => ({ text: spelling, isExact: value.length === 1 }));
}

/**
 * Whether a value is its error's first to meet a filter's terms about such values. An error without a value meets terms
 * that only exclude values.
 */
export function isFirstMatch(filter: string, value: NewValue): boolean {
  const all: readonly Term[] = readSearch(filter);
  const terms = all.filter((term): term is NamedTerm => isOf(term, value));
  if (terms.length === 0) return false;
  if (value.earlier.length === 0 && terms.every(({ isNegated }) => isNegated)) return false;
  const isMet = (one: string) => terms.every((term) => meets(one, term) !== term.isNegated);
  return isMet(value.value) && !value.earlier.some(isMet);
}

/** The terms of a filter that a first match does not meet by itself. `all:` also applies to earlier values. */
export const termsBeside = (filter: string, value: ValueName): Term[] =>
  readSearch(filter).filter((term) => !isOf(term, value) || (term.of === "value" && term.isOnly));

function isOf(term: Term, { kind, name }: ValueName): boolean {
  return namesOf(term).some((named) => named.kind === kind && named.name === name);
}

function meets(value: string, term: NamedTerm): boolean {
  if (term.of === "value") return isAskedFor(value, term, term.values);
  return term.of === "presence" || isInOrder(value, term);
}
