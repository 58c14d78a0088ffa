import type { Term, ValueTerm } from "@faultline/plugin/search";
import { ErrorStatusSchema, words, type ErrorStatus } from "@faultline/proto";
import { statuses as shownStatuses } from "../lists/statuses.ts";
import { namedBy, sourcesOf, type StoredValues } from "./stored-values.ts";
import type { SearchToken } from "./search-token.ts";
import { decisive, formsOf } from "./tokens.ts";

/** A search, as it is evaluated. */
export interface Query {
  /** The terms that the indexes look up; a text that another one implies is left out. */
  readonly tokens: readonly SearchToken[];
  /** The statuses that its `is:` terms leave; they take the place of the request's own. Absent: it has none. */
  readonly statuses?: readonly ErrorStatus[];
  /** The other terms, which are checked for each error that the rest finds. */
  readonly filters: readonly Term[];
}

/** Divides the terms of a search by how they are found. */
export function queryOf(terms: readonly Term[], stored: StoredValues): Query {
  const asked = terms.filter(isStatus);
  const others = terms.filter((term) => !isStatus(term));
  const tokens = others.map((term) => tokenOf(term, stored));
  return {
    tokens: decisive(tokens.filter((token) => token !== undefined)),
    filters: others.filter((_, n) => tokens[n] === undefined),
    ...(asked.length > 0 && {
      statuses: shownStatuses.filter((status) => asked.every((term) => allows(term, status))),
    }),
  };
}

const statusNames = words(ErrorStatusSchema);

const isStatus = (term: Term): term is ValueTerm => term.of === "value" && !term.isTag && term.key === "is";

const allows = ({ values, isNegated }: ValueTerm, status: ErrorStatus) =>
  values.some(([name]) => statusNames[name] === status) !== isNegated;

/** The token of a term; undefined: no index has it. */
function tokenOf(term: Term, stored: StoredValues): SearchToken | undefined {
  if (term.isNegated) return undefined;
  if (term.of === "text") {
    return namedBy(term, stored).length > 0 ? undefined : { of: "text", forms: formsOf(term.text) };
  }
  if (term.of !== "value" || term.isOnly || term.values.length > 1 || term.values[0].length > 1) return undefined;
  const { key, isTag, values } = term;
  const [[value]] = values;
  if (!isTag && key === "message") return { of: "message", forms: formsOf(value) };
  if (!isTag && (key === "level" || key === "type")) return { of: key, value };
  const sources = isTag || key !== "transaction" ? sourcesOf(term) : [];
  const [source] = sources;
  if (!source || !stored.isComplete) return undefined;
  const all = sources.flatMap(({ name }) =>
    stored.of({ of: "tag", name }, term, values).map((found) => ({ key: name, found })),
  );
  const [one = { key: source.name, found: [value] }, ...others] = all;
  const isOne = others.length === 0 && one.found.length === 1;
  return isOne ? { of: "tag", key: one.key, value: one.found[0] } : undefined;
}
