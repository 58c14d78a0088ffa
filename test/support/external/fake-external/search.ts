import type { FakeIssue } from "./data.ts";

/** Whether a search finds an issue: `is:<status>`, `key:value` of a tag, and words; all must match. */
export function matches(issue: FakeIssue, search: string): boolean {
  const terms = search.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return terms.every((term) => {
    const [, key, quoted = ""] = /^([\w.]+):(.+)$/.exec(term) ?? [];
    const value = (key ? quoted : term).replaceAll('"', "");
    if (key === "is") return issue.status === (value === "archived" ? "ignored" : value);
    if (key) return valuesOf(issue, key).includes(value);
    return [issue.title, issue.value, issue.culprit].some((text) => text.toLowerCase().includes(value.toLowerCase()));
  });
}

function valuesOf(issue: FakeIssue, key: string): readonly unknown[] {
  if (key === "level") return [issue.level];
  if (key === "error.type") return [issue.type];
  if (key === "release") return [issue.firstRelease, issue.lastRelease];
  return [issue.tags[key]];
}

/** The issues in descending order of a sort of the API; undefined if the sort does not exist. */
export function sorted(issues: readonly FakeIssue[], sort: string): FakeIssue[] | undefined {
  const by: Readonly<Record<string, (issue: FakeIssue) => number>> = {
    date: ({ lastSeen }) => lastSeen,
    new: ({ firstSeen }) => firstSeen,
    freq: ({ count }) => count,
    user: ({ userCount }) => userCount,
  };
  const key = by[sort];
  return key && issues.toSorted((one, other) => key(other) - key(one) || Number(other.id) - Number(one.id));
}
