import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import { type JsonObject, type JsonValue, limits, readUserKey, readUserNames, userKey } from "@faultline/sentry-event";
import type { ReleaseBreakdownSchema, TagBreakdownSchema, UserBreakdownSchema } from "@faultline/proto";
import { statedNewestEvent, statedTag, statedUsualShare } from "./faultline.ts";
import { countOf, readItems, textOf, timeOf } from "./fields.ts";

/** As many as the integrated backend returns. */
const shown = { keys: 30, values: 10, releases: 20 };

/** The tags of an issue; the tags that most events have come first. */
export interface IssueTags {
  readonly tags: MessageInitShape<typeof TagBreakdownSchema>[];
  readonly otherTagCount: number;
  readonly releases: MessageInitShape<typeof ReleaseBreakdownSchema>[];
  readonly releaseCount: number;
  /** How many events were counted: each has a level, and so is in one of the counts. */
  readonly countedEvents: number;
  /** See GetErrorBreakdownResponse. */
  readonly usualEventCount: number;
  /** Whether the events of the issue name users. */
  readonly namesUsers: boolean;
}

/** Reads `GET issues/<id>/tags/`: each key with its most frequent values. */
export function readIssueTags(json: JsonValue): IssueTags {
  const sent = readItems(json, readTag, ({ key }) => key);
  const tags = sent.filter(({ key }) => key !== "user").toSorted(mostEventsFirst);
  const release = sent.find(({ key }) => key === "release");
  return {
    tags: tags.slice(0, shown.keys).map(({ key, eventCount, valueCount, values, stated }) => ({
      key,
      eventCount,
      valueCount,
      values: values.slice(0, shown.values).map(({ value, eventCount: count, usualShare }) => ({
        value,
        eventCount: count,
        ...(usualShare !== undefined && { usualShare }),
      })),
      searchable: stated?.searchable ?? true,
    })),
    otherTagCount: Math.max(tags.length - shown.keys, 0),
    releases: (release?.values ?? [])
      .toSorted((one, other) => (other.last ?? 0) - (one.last ?? 0))
      .slice(0, shown.releases)
      .map(({ value: version, ...seen }) => ({ version, ...seenToProto(seen) })),
    releaseCount: release?.valueCount ?? 0,
    countedEvents: Math.max(0, ...sent.map(({ eventCount }) => eventCount)),
    usualEventCount: Math.max(0, ...sent.map(({ stated }) => stated?.usualEvents ?? 0)),
    namesUsers: sent.some(({ key, eventCount }) => key === "user" && eventCount > 0),
  };
}

/** Reads `GET issues/<id>/tags/user/values/`: at most 100 users; users with the most events come first. */
export function readIssueUsers(json: JsonValue): MessageInitShape<typeof UserBreakdownSchema>[] {
  const users = readItems(json, readUser, ({ user }) => user);
  return users.toSorted((one, other) => other.eventCount - one.eventCount);
}

function readUser(sent: JsonObject) {
  const { id, username, email, ipAddress, name } = sent;
  const names = readUserNames({ user: { id: id ?? null, username: username ?? name ?? null, email: email ?? null } });
  const address = readUserNames({ user: { ip_address: ipAddress ?? null } }).ipAddress;
  const value = textOf(sent["value"], limits.text.userName);
  const user = value === "" ? userKey({ ...names, ipAddress: address }) : readUserKey(value);
  if (user === "") return undefined;
  return {
    user,
    names: { ...names, ipAddress: address },
    ...seenToProto(readSeen(sent)),
    newestEventId: statedNewestEvent(sent),
  };
}

function readTag(sent: JsonObject) {
  const key = textOf(sent["key"], limits.text.tag);
  if (key === "") return undefined;
  const values = readItems(sent["topValues"] ?? [], readValue, ({ value }) => value).toSorted(
    (one, other) => other.eventCount - one.eventCount,
  );
  const counted = values.reduce((sum, { eventCount }) => sum + eventCount, 0);
  return {
    key,
    eventCount: Math.max(countOf(sent["totalValues"]), counted),
    valueCount: Math.max(countOf(sent["uniqueValues"]), values.length),
    values,
    stated: statedTag(sent),
  };
}

function readValue(sent: JsonObject) {
  const value = textOf(sent["value"], limits.text.tag);
  return value === "" ? undefined : { value, ...readSeen(sent), usualShare: statedUsualShare(sent) };
}

/** Another Faultline has the most distinctive first, which does not depend on their events alone. */
function mostEventsFirst(one: ReadTag, other: ReadTag): number {
  return one.stated ? 0 : other.eventCount - one.eventCount;
}

type ReadTag = NonNullable<ReturnType<typeof readTag>>;

interface Seen {
  readonly eventCount: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
}

function readSeen(sent: JsonObject): Seen {
  return { eventCount: countOf(sent["count"]), first: timeOf(sent["firstSeen"]), last: timeOf(sent["lastSeen"]) };
}

function seenToProto({ eventCount, first, last }: Seen) {
  return {
    eventCount,
    ...(first !== undefined && { firstSeenTime: timestamp(first) }),
    ...(last !== undefined && { lastSeenTime: timestamp(last) }),
  };
}
