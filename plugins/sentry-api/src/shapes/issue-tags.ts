import type {
  GetErrorBreakdownResponse,
  ReleaseBreakdown,
  TagBreakdown,
  TagValueBreakdown,
  UserBreakdown,
} from "@faultline/proto";
import { isoTime } from "../times.ts";

/** The most values to return for a tag. */
const topValues = 10;

/**
 * The tags of an issue by key. Release and user are tags in the original. `faultline` holds fields that Sentry does not
 * have.
 */
export function issueTagShapes(breakdown: GetErrorBreakdownResponse): object[] {
  const { users, userCount } = breakdown;
  const shapes = breakdown.tags
    .filter(({ key }) => key !== "user")
    .map((tag) => ({
      ...tagShape(tag.key, tag, valuesOf(tag, breakdown)),
      faultline: { searchable: tag.searchable, usualEvents: breakdown.usualEventCount },
    }));
  if (users.length === 0) return shapes;
  const counts = { eventCount: users.reduce((sum, one) => sum + one.eventCount, 0), valueCount: userCount };
  return [...shapes, tagShape("user", counts, users.map(userValueShape))];
}

/** A user as a value of the tag `user`. */
export function userValueShape({ user, names, newestEventId, ...counts }: UserBreakdown): object {
  const { id = "", username = "", email = "", ipAddress = "" } = names ?? {};
  return {
    ...valueShape("user", user, counts),
    id: id || null,
    username: username || null,
    email: email || null,
    ipAddress: ipAddress || null,
    identifier: id || null,
    faultline: { newestEvent: newestEventId },
  };
}

/** The values of a tag; releases have times. */
function valuesOf({ key, values }: TagBreakdown, { releases }: GetErrorBreakdownResponse): object[] {
  const usual = ({ usualShare }: TagValueBreakdown) => ({ faultline: { usualShare: usualShare ?? null } });
  return values.map((one) => {
    const release = key === "release" ? releases.find(({ version }) => version === one.value) : undefined;
    return { ...valueShape(key, one.value, release ?? one), ...usual(one) };
  });
}

function tagShape(key: string, counts: { eventCount: number; valueCount: number }, values: readonly object[]): object {
  return {
    key,
    name: key,
    totalValues: counts.eventCount,
    uniqueValues: counts.valueCount,
    topValues: values.slice(0, topValues),
  };
}

type Counts = Pick<UserBreakdown, "eventCount"> & Partial<Pick<ReleaseBreakdown, "firstSeenTime" | "lastSeenTime">>;

function valueShape(key: string, value: string, { eventCount, firstSeenTime, lastSeenTime }: Counts): object {
  const time = (one: Counts["lastSeenTime"]) => (one ? isoTime(one) : null);
  return { key, name: value, value, count: eventCount, firstSeen: time(firstSeenTime), lastSeen: time(lastSeenTime) };
}
