import { invalidField } from "@faultline/plugin";
import { ErrorSort, ErrorStatus } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

const statusWords: Readonly<Record<string, ErrorStatus>> = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
  archived: ErrorStatus.IGNORED,
  muted: ErrorStatus.IGNORED,
};

const sorts: Readonly<Record<string, ErrorSort>> = {
  date: ErrorSort.LAST_SEEN,
  new: ErrorSort.FIRST_SEEN,
  freq: ErrorSort.EVENT_COUNT,
};

/** The search of a list of issues. */
export interface IssueSearch {
  readonly query: string;
  readonly status: ErrorStatus;
  readonly sort: ErrorSort;
}

/**
 * Reads `query`, `sort` and `environment`. `is:` words are the status, the rest is our search; an absent query is
 * `is:unresolved`.
 */
export function issueSearchOf({ query: parameters }: ApiCall): IssueSearch {
  const sort = sorts[ownKey(sorts, parameters.get("sort") || "date")];
  if (sort === undefined) throw invalidField("sort", "Invalid sort. Choose date, new or freq.");
  const text = parameters.get("query") ?? "is:unresolved";
  if (text.length > 1000) throw invalidField("query", "A search has at most 200 characters.");
  let status: ErrorStatus = ErrorStatus.UNSPECIFIED;
  const words: string[] = [];
  for (const word of text.match(/(?:[\w.!-]+:)?"[^"]*"?|\S+/g) ?? []) {
    const [, negated, value] = /^(!?)is:(.*)$/i.exec(word) ?? [];
    if (value === undefined) {
      words.push(word);
      continue;
    }
    const asked = statusWords[ownKey(statusWords, value.toLowerCase())];
    if (asked === undefined || negated === "!") {
      throw invalidField(
        "query",
        `Invalid value for "is" search, valid values are ${Object.keys(statusWords).join(", ")}.`,
      );
    }
    if (status !== ErrorStatus.UNSPECIFIED && status !== asked) {
      throw invalidField("query", 'Only one status can be searched at a time. Give one "is" value, or none for all.');
    }
    status = asked;
  }
  return { query: [...words, ...environmentWord(parameters)].join(" "), status, sort };
}

function environmentWord(parameters: URLSearchParams): string[] {
  const names = parameters.getAll("environment").filter((name) => name !== "");
  if (names.length > 1) throw invalidField("environment", "Only one environment can be searched at a time.");
  return names.map((name) => `environment:"${name.replaceAll('"', "")}"`);
}

function ownKey(table: object, key: string): string {
  return Object.hasOwn(table, key) ? key : "";
}
