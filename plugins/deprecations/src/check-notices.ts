import type { NoticeRow } from "./notices.ts";
import { isRelease, monthOf, type Release } from "./release.ts";

/** The faults of a list of notices, in words; empty when it obeys specification 9.2. */
export function faultsOf(notices: readonly NoticeRow[]): string[] {
  const ids = new Set<string>();
  return notices.flatMap((row) => {
    const isRepeated = ids.has(row.id);
    ids.add(row.id);
    return [...(isRepeated ? ["its id is there twice"] : []), ...faultsOfOne(row)].map(
      (fault) => `${row.id}: ${fault}`,
    );
  });
}

function faultsOfOne({ id, announcedIn, endOfSupportIn, removedIn, isBreaking, change, request }: NoticeRow): string[] {
  const named = removedIn === "unnamed" ? undefined : removedIn;
  const releases = [announcedIn, endOfSupportIn, named].filter((release) => release !== undefined);
  const unknown = releases.filter((release: string) => !isRelease(release));
  if (unknown.length > 0) return unknown.map((release) => `${release} is not a release`);
  const faults: string[] = [];
  const fault = (isSo: boolean, words: string) => {
    if (isSo) faults.push(words);
  };
  fault(!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id), "its id is not lower-case words joined by -");
  fault(!change.endsWith("."), "its change is not a sentence");
  fault(!areInOrder(releases), "it is not announced, then unsupported, then removed");
  fault(isBreaking && removedIn === undefined, "it breaks callers and removes nothing");
  fault(request !== undefined && removedIn === undefined, "it judges requests and removes nothing");
  // Specification 9.2, rule 2.
  fault(
    isBreaking && named !== undefined && !named.endsWith(".0"),
    `it breaks callers in ${named}, which is not a major release`,
  );
  return faults;
}

function areInOrder(releases: readonly Release[]): boolean {
  const months = releases.map(monthOf);
  return months.every((month, index) => index === 0 || month >= (months[index - 1] ?? month));
}
