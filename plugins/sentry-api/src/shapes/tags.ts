/** Tags in the form of the original: ordered by key, without empty tags. */
export function tagList(tags: Readonly<Record<string, string>>): object[] {
  return Object.entries(tags)
    .filter(([, value]) => value !== "")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value }));
}
