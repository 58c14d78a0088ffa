/** Reads a search: bare words and `key:value` filters, values with spaces in double quotes. */

export interface SearchToken {
  /** As typed. */
  readonly text: string;
  /** Empty for bare words. */
  readonly key: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** As the service reads it; an address such as `https://host` is a word, not a key. */
const pattern = /(?:([\w.-]+):(?!\/\/))?(?:"([^"]*)"?|(\S+))/g;

export function searchTokens(query: string): SearchToken[] {
  return Array.from(query.matchAll(pattern), (match) => ({
    text: match[0],
    key: match[1] ?? "",
    value: match[2] ?? match[3] ?? "",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The filters of a search, which show as chips. */
export const searchFilters = (query: string) =>
  searchTokens(query).filter(({ key, value }) => key !== "" && value !== "");

/** The search without one of its tokens. */
export function withoutToken(query: string, token: SearchToken): string {
  return `${query.slice(0, token.start).trimEnd()} ${query.slice(token.end).trimStart()}`.trim();
}

/** A filter as it is typed. */
export function filterText(key: string, value: string): string {
  return /[\s"]|^\/\/|^$/.test(value) ? `${key}:"${value.replaceAll('"', "")}"` : `${key}:${value}`;
}
