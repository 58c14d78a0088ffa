import type { GetErrorBreakdownResponse, ReleaseBreakdown, UserBreakdown } from "@faultline/proto";
import { isoTime } from "../times.ts";

/** Values of one tag. */
const topValues = 10;

/** The tags of an issue by key. Those that are no tags here, such as the release, are tags in the original. */
export function issueTagShapes({
  tags,
  users,
  userCount,
  releases,
  releaseCount,
}: GetErrorBreakdownResponse): object[] {
  const release = tags.find(({ key }) => key === "release");
  const shapes = tags
    .filter(({ key }) => key !== "release" && key !== "user")
    .map(({ key, eventCount, valueCount, values }) =>
      tagShape(
        key,
        { eventCount, valueCount },
        values.map((one) => valueShape(key, one.value, one)),
      ),
    );
  if (release) {
    const values = releases.toSorted(byCount).map((one) => valueShape("release", one.version, one));
    shapes.push(tagShape("release", { eventCount: release.eventCount, valueCount: releaseCount }, values));
  }
  if (users.length > 0) {
    const eventCount = users.reduce((sum, one) => sum + one.eventCount, 0);
    shapes.push(tagShape("user", { eventCount, valueCount: userCount }, users.map(userValueShape)));
  }
  return shapes;
}

/** A user as a value of the tag `user`. */
export function userValueShape({ user, names, ...counts }: UserBreakdown): object {
  const { id = "", username = "", email = "", ipAddress = "" } = names ?? {};
  const orNull = (text: string) => text || null;
  return {
    ...valueShape("user", user, counts),
    id: orNull(id),
    username: orNull(username),
    email: orNull(email),
    ipAddress: orNull(ipAddress),
    identifier: orNull(id),
  };
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

const byCount = (one: ReleaseBreakdown, other: ReleaseBreakdown) => other.eventCount - one.eventCount;
