import { fullNumber } from "#lib/number-format.ts";
import { tagFilter } from "#lib/search/search-terms.ts";
import { route } from "#lib/navigation/route.ts";
import type { ErrorBreakdown, EventUser, TagBreakdown, TagValueBreakdown } from "#lib/messages.ts";

/** A tag value that is more frequent in the events of an error than in the events of the project's other errors. */
export interface UnusualValue {
  readonly key: string;
  readonly value: string;
  readonly searchable: boolean;
  /** From 0 to 1, among the events that have the key. */
  readonly share: number;
  readonly usualShare: number;
}

/** Fewer events than this may share a value by chance. */
const fewestEvents = 5;

/** The smallest difference of shares that is worth showing. */
const smallestDifference = 0.2;

/** The values with the largest difference from the usual share: one for each key, at most three. */
export function unusualValues(tags: readonly TagBreakdown[]): UnusualValue[] {
  return tags
    .flatMap((tag) => {
      const [most] = tag.values.flatMap((value) => differing(tag, value)).toSorted(byDifference);
      return most === undefined ? [] : [most];
    })
    .toSorted(byDifference)
    .slice(0, 3);
}

function differing(
  { key, searchable, eventCount: withKey }: TagBreakdown,
  { value, eventCount, usualShare }: TagValueBreakdown,
): UnusualValue[] {
  if (typeof usualShare !== "number" || eventCount < fewestEvents) return [];
  const share = eventCount / withKey;
  return share - usualShare < smallestDifference ? [] : [{ key, value, searchable, share, usualShare }];
}

const byDifference = (one: UnusualValue, other: UnusualValue) =>
  other.share - other.usualShare - (one.share - one.usualShare);

/** `92 %`. Cut, so that `100 %` means all, and never `0 %` for some. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.01) return "< 1\u00a0%";
  return `${Math.floor(share * 100 + 1e-9)}\u00a0%`;
}

/** `90 %, 20 % elsewhere`, if the usual share is known. */
export function comparedText(share: number, usualShare: TagValueBreakdown["usualShare"]): string {
  return typeof usualShare === "number" ? `${shareText(share)}, ${shareText(usualShare)} elsewhere` : shareText(share);
}

/** The address of the errors with a tag; empty if no search finds them. */
export function tagAddress(projectPath: string, { key, value, searchable }: FoundTag): string {
  return searchable ? route.errors(projectPath, { status: "all", q: tagFilter(key, value) }) : "";
}

interface FoundTag {
  readonly key: string;
  readonly value: string;
  readonly searchable: boolean;
}

/** The name by which people know a user: an e-mail address, a username, otherwise the counted key, such as `id:42`. */
export function userLabel({ user, names }: { user: string; names?: EventUser | undefined }): string {
  return names?.email || names?.username || user;
}

/** Whether a breakdown counts only some of the newest events, so that only its shares are meaningful. */
export function isSample({ examinedEventCount, searchedEventCount, eventCount }: ErrorBreakdown): boolean {
  return (searchedEventCount || examinedEventCount) < eventCount;
}

/** The events that a breakdown counts; empty if it counts all events of the error. */
export function scopeText(breakdown: ErrorBreakdown): string {
  const { examinedEventCount, searchedEventCount, eventCount } = breakdown;
  const [examined, searched, all] = [examinedEventCount, searchedEventCount, eventCount].map(fullNumber);
  if (searchedEventCount === 0) {
    return isSample(breakdown) ? `A sample: the newest ${examined} of ${all} events.` : "";
  }
  const matching = `${examined} match${examinedEventCount === 1 ? "es" : ""} the search`;
  if (isSample(breakdown)) return `A sample: of the newest ${searched} of ${all} events, ${matching}.`;
  return `Of ${all} events, ${matching}.`;
}

/** The number of events as a text, or their share if a breakdown is a sample. */
export function countText(breakdown: ErrorBreakdown, eventCount: number): string {
  return isSample(breakdown) ? shareText(eventCount / breakdown.examinedEventCount) : fullNumber(eventCount);
}
