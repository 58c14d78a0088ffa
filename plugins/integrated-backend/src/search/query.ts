import { readSearch } from "@faultline/plugin";
import type { Term, ValueTerm } from "@faultline/plugin/search";
import { ErrorStatus } from "@faultline/proto";
import { statuses as shownStatuses } from "../lists/statuses.ts";
import { isTagKey } from "./filters.ts";
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

/** Reads a search. Refuses what it cannot read, with the place. */
export function readQuery(text: string): Query {
  const terms = readSearch(text);
  const asked = terms.filter(isStatus);
  const others = terms.filter((term) => !isStatus(term));
  const tokens = others.map(tokenOf);
  return {
    tokens: decisive(tokens.filter((token) => token !== undefined)),
    filters: others.filter((_, n) => tokens[n] === undefined),
    ...(asked.length > 0 && {
      statuses: shownStatuses.filter((status) => asked.every((term) => allows(term, status))),
    }),
  };
}

const statusNames: Readonly<Record<string, ErrorStatus>> = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
};

const isStatus = (term: Term): term is ValueTerm => term.of === "value" && !term.isTag && term.key === "is";

const allows = ({ values, isNegated }: ValueTerm, status: ErrorStatus) =>
  values.some(([name]) => statusNames[name] === status) !== isNegated;

/** The token of a term; undefined: no index has it. */
function tokenOf(term: Term): SearchToken | undefined {
  if (term.isNegated) return undefined;
  if (term.of === "text") return { of: "text", forms: formsOf(term.text) };
  if (term.of !== "value" || term.isOnly || term.values.length > 1 || term.values[0].length > 1) return undefined;
  const { key, isTag, values } = term;
  const [[value]] = values;
  if (isTag || isTagKey(key)) {
    return { of: "tag", key, value };
  }
  if (key === "message") return { of: "message", forms: formsOf(value) };
  return key === "level" || key === "type" ? { of: key, value } : undefined;
}
