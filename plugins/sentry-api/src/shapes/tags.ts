/** Tags as the original lists them: ordered by key, without empty ones. */
export function tagList(tags: Readonly<Record<string, string>>): object[] {
  return Object.entries(tags)
    .filter(([, value]) => value !== "")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value }));
}
