import { parseSearch, printTerm, SearchProblem, type PlacedTerm, type Term } from "@faultline/plugin/search";

/** The parts of a search that the toolbar shows besides the text. */
export interface SearchChoices {
  /** Its filters, each with the search without it. */
  readonly chips: readonly { readonly label: string; readonly without: string }[];
  /** The values of the three selects; empty for all. */
  readonly environment: string;
  readonly release: string;
  /** Such as `7d`. */
  readonly period: string;
  /** Whether the search has a status, which replaces the tab. */
  readonly hasStatus: boolean;
}

/** The choices of the selects, by the name of the field. */
export type ChoiceField = "environment" | "release" | "period";

export const choiceFields: readonly ChoiceField[] = ["environment", "release", "period"];

/** The toolbar's view of a search. For an invalid search, only the text. */
export function searchChoices(q: string): SearchChoices {
  const terms = readable(q) ?? [];
  const chosen = (field: ChoiceField) => terms.map((term) => valueOf(term, field)).find((value) => value !== undefined);
  return {
    chips: terms
      .filter(({ of }) => of !== "text")
      .map((term) => ({ label: printTerm(term), without: without(q, term) })),
    environment: chosen("environment") ?? "",
    release: chosen("release") ?? "",
    period: chosen("period") ?? "",
    hasStatus: terms.some((term) => term.of === "value" && !term.isTag && term.key === "is"),
  };
}

/** The search with another choice in a select. The rest keeps its text. An invalid search stays unchanged. */
export function withChoice(q: string, field: ChoiceField, value: string): string {
  const terms = readable(q);
  if (!terms) return q;
  const others = terms.filter((term) => valueOf(term, field) !== undefined).toReversed();
  const rest = others.reduce(without, q);
  return value === "" ? rest : `${rest.trimEnd()} ${printTerm(termOf(field, value))}`.trim();
}

function readable(q: string): PlacedTerm[] | undefined {
  try {
    return parseSearch(q);
  } catch (error) {
    if (error instanceof SearchProblem) return undefined;
    throw error;
  }
}

const without = (q: string, { start, end }: PlacedTerm) =>
  `${q.slice(0, start).trimEnd()} ${q.slice(end).trimStart()}`.trim();

/** The value that a term chooses in a select; undefined if the term belongs to no select. */
function valueOf(term: Term, field: ChoiceField): string | undefined {
  if (term.of === "text" || term.isTag || term.isNegated) return undefined;
  if (field === "period") {
    const isAge = term.of === "comparison" && term.key === "lastSeen" && term.operand.startsWith("-");
    return isAge ? term.operand.slice(1) : undefined;
  }
  if (term.of !== "value" || term.key !== field || term.isOnly || term.values.length > 1) return undefined;
  const [pattern] = term.values;
  return pattern.length === 1 ? pattern[0] : undefined;
}

function termOf(field: ChoiceField, value: string): Term {
  const named = { isTag: false, isNegated: false } as const;
  return field === "period"
    ? { of: "comparison", key: "lastSeen", ...named, operator: ">=", operand: `-${value}` }
    : { of: "value", key: field, ...named, values: [[value]], isOnly: false };
}
