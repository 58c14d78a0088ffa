import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidField, millisecondsOf, readSearch } from "@faultline/plugin";
import { printSearch, type Term, type ValueTerm } from "@faultline/plugin/search";
import { ErrorSort } from "@faultline/proto";
import type { ApiCall } from "./call.ts";
import type { Window } from "./times.ts";

const sorts: Readonly<Record<string, ErrorSort>> = {
  date: ErrorSort.LAST_SEEN,
  new: ErrorSort.FIRST_SEEN,
  freq: ErrorSort.EVENT_COUNT,
  user: ErrorSort.USER_COUNT,
};

/** The search of a list of issues. */
export interface IssueSearch {
  /** In our query language; `is:` sets the status. */
  readonly query: string;
  readonly sort: ErrorSort;
}

/**
 * Reads `query`, `sort`, `environment`, which may be repeated, and the time window. `query` defaults to
 * `is:unresolved`.
 */
export function issueSearchOf(call: ApiCall, window: Window): IssueSearch {
  const parameters = call.query;
  const sort = sorts[ownKey(sorts, parameters.get("sort") || "date")];
  if (sort === undefined) throw invalidField("sort", "Invalid sort. Choose date, new, freq or user.");
  const terms: Term[] = readSearch(parameters.get("query") ?? "is:unresolved");
  return { query: printSearch([...terms, ...environmentsOf(parameters), ...seenWithin(window)]), sort };
}

/** The term for `environment`, which may be repeated. */
export function environmentsOf(parameters: URLSearchParams): Term[] {
  const [first, ...others] = parameters.getAll("environment").filter((name) => name !== "");
  if (first === undefined) return [];
  const values: ValueTerm["values"] = [[first], ...others.map((name) => [name] as const)];
  return [{ of: "value", key: "environment", isTag: false, values, isNegated: false, isOnly: false }];
}

/** Selects issues that began before the end of a window and have their newest event after its start. */
function seenWithin({ startTime, endTime }: Window): Term[] {
  const term = (key: "firstSeen" | "lastSeen", sign: "<" | ">=", time: Timestamp): Term[] =>
    readSearch(`${key}:${sign}${new Date(millisecondsOf(time)).toISOString()}`);
  return [...(startTime ? term("lastSeen", ">=", startTime) : []), ...(endTime ? term("firstSeen", "<", endTime) : [])];
}

function ownKey(table: object, key: string): string {
  return Object.hasOwn(table, key) ? key : "";
}
