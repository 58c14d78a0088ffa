import { invalidField, readSearch } from "@faultline/plugin";
import { printSearch, type Term, type ValueTerm } from "@faultline/plugin/search";
import { ErrorSort } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

const sorts: Readonly<Record<string, ErrorSort>> = {
  date: ErrorSort.LAST_SEEN,
  new: ErrorSort.FIRST_SEEN,
  freq: ErrorSort.EVENT_COUNT,
  user: ErrorSort.USER_COUNT,
};

/** The search of a list of issues. */
export interface IssueSearch {
  /** In our language; an `is:` in it is the status. */
  readonly query: string;
  readonly sort: ErrorSort;
}

/** Reads `query`, `sort` and `environment`, which may be given several times; an absent query is `is:unresolved`. */
export function issueSearchOf({ query: parameters }: ApiCall): IssueSearch {
  const sort = sorts[ownKey(sorts, parameters.get("sort") || "date")];
  if (sort === undefined) throw invalidField("sort", "Invalid sort. Choose date, new, freq or user.");
  const terms: Term[] = readSearch(parameters.get("query") ?? "is:unresolved");
  const [first, ...others] = parameters.getAll("environment").filter((name) => name !== "");
  if (first !== undefined) {
    const values: ValueTerm["values"] = [[first], ...others.map((name) => [name] as const)];
    terms.push({ of: "value", key: "environment", isTag: false, values, isNegated: false, isOnly: false });
  }
  return { query: printSearch(terms), sort };
}

function ownKey(table: object, key: string): string {
  return Object.hasOwn(table, key) ? key : "";
}
