import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, startOfHour, timestamp, type ExternalLink } from "@faultline/plugin";
import { type ErrorSchema, ErrorStatus } from "@faultline/proto";
import {
  asObject,
  type JsonObject,
  type JsonValue,
  limits,
  readLevel,
  readPlatform,
  type JsonField,
} from "@faultline/sentry-event";
import { statedReopenedTime, statedSettledTime } from "./faultline.ts";
import {
  type ReadingContext,
  countOf,
  idOf,
  nameOf,
  objectOf,
  readItems,
  requiredId,
  textOf,
  timeOf,
  missingKeys,
  readCommit,
  readReleaseVersion,
} from "./fields.ts";

/** Hours of the trend in each row of a list. */
const trendHours = 24;

/** The bound of Error.value. */
const maxValue = 1024;

/** The bound of Error.short_id. */
const maxShortId = 100;

/** A page of issues, at most 100, as errors in a list. Issues of other projects than the linked one are left out. */
export function readIssues(json: JsonValue, context: ReadingContext): MessageInitShape<typeof ErrorSchema>[] {
  const linked = context.link.project.id;
  const read = (sent: JsonObject): MessageInitShape<typeof ErrorSchema> | undefined => {
    const { error, externalProjectId } = readIssue(sent, context);
    if (externalProjectId !== "" && linked !== "" && externalProjectId !== linked) return undefined;
    const { now } = context;
    return { ...error, hourlyCounts: trendOf(sent, now), hourlyCountsStartTime: timestamp(firstHour(now) * hourMs) };
  };
  return readItems(json, read, ({ errorId }) => errorId);
}

/** One issue as an error, and the external id of its project; empty when the system does not report it. */
export function readIssue(
  json: JsonValue,
  context: ReadingContext,
): { error: MessageInitShape<typeof ErrorSchema>; externalProjectId: string } {
  const sent = objectOf(json);
  return { error: readError(sent, context), externalProjectId: idOf(asObject(sent["project"]), "id") };
}

function readError(sent: JsonObject, context: ReadingContext): MessageInitShape<typeof ErrorSchema> {
  const id = requiredId(sent, "id");
  const metadata = asObject(sent["metadata"]);
  const seen = seenOf(sent);
  const { firstSeen, lastSeen } = timesOf(seen);
  const status = readStatus(sent["status"]);
  const reopened = reopenedTime(sent, lastSeen);
  const settled = settledLastSeen(sent, { firstSeen, lastSeen, now: context.now });
  return {
    errorId: id,
    projectId: context.projectId,
    title: nameOf(sent["title"], limits.text.title) || "<unlabeled event>",
    type: textOf(metadata?.["type"], limits.text.exceptionType),
    value: nameOf(metadata?.["value"] ?? metadata?.["message"] ?? metadata?.["title"], maxValue),
    culprit: nameOf(sent["culprit"], limits.text.culprit),
    level: readLevel(textOf(sent["level"], limits.text.word)),
    platform: readPlatform(sent["platform"]),
    status,
    eventCount: countOf(seen["count"]),
    affectedUserCount: countOf(seen["userCount"]),
    firstSeenTime: timestamp(firstSeen),
    lastSeenTime: timestamp(lastSeen),
    ...(settled !== undefined && { settledLastSeenTime: timestamp(settled) }),
    ...(reopened !== undefined && status === ErrorStatus.UNRESOLVED && { reopenedTime: timestamp(reopened) }),
    firstRelease: readReleaseVersion(sent["firstRelease"]),
    lastRelease: readReleaseVersion(sent["lastRelease"]),
    firstCommit: readCommit(sent["firstRelease"]),
    lastCommit: readCommit(sent["lastRelease"]),
    shortId: textOf(sent["shortId"], maxShortId),
    externalUrl: issueLink(sent["permalink"], id, context.link),
  };
}

/** Counts and times of all time. A list of a window, such as the list of an organization, has them in `lifetime`. */
function seenOf(sent: JsonObject): JsonObject {
  const lifetime = Object.entries(asObject(sent["lifetime"]) ?? {}).filter(([, value]) => value !== null);
  return { ...sent, ...Object.fromEntries(lifetime) };
}

/** First and last time seen. One may be missing, for example if a list is filtered by environment. */
function timesOf(seen: JsonObject): { firstSeen: number; lastSeen: number } {
  const first = timeOf(seen["firstSeen"]);
  const last = timeOf(seen["lastSeen"]);
  const firstSeen = first ?? last;
  const lastSeen = last ?? first;
  if (firstSeen === undefined || lastSeen === undefined) throw missingKeys("firstSeen", "lastSeen");
  return { firstSeen, lastSeen };
}

/**
 * When an event reopened it. Newer releases of Sentry report that one did, but not when: the newest event is used for
 * it.
 */
function reopenedTime(sent: JsonObject, lastSeen: number): number | undefined {
  return statedReopenedTime(sent) ?? (sent["substatus"] === "regressed" ? lastSeen : undefined);
}

/**
 * The newest event before the running hour. While there are newer ones the API has no such time, so it is the start of
 * the last earlier hour of the trend that has events; undefined if there is no such hour.
 */
function settledLastSeen(
  sent: JsonObject,
  { firstSeen, lastSeen, now }: { firstSeen: number; lastSeen: number; now: number },
): number | undefined {
  const running = startOfHour(now);
  if (lastSeen < running) return lastSeen;
  const stated = statedSettledTime(sent, running);
  if (stated !== undefined) return stated;
  if (firstSeen >= running) return undefined;
  const last = trendOf(sent, now)
    .slice(0, -1)
    .findLastIndex((count) => count > 0);
  return last < 0 ? undefined : Math.max(firstSeen, running - (trendHours - 1 - last) * hourMs);
}

function trendOf(sent: JsonObject, now: number): number[] {
  const window = { firstHour: firstHour(now), hours: trendHours };
  return readHourlyStats(asObject(sent["stats"])?.["24h"] ?? null, window);
}

/** The first hour of a trend that ends with the running hour, counted from 1970. */
const firstHour = (now: number) => Math.floor(now / hourMs) - trendHours + 1;

/**
 * The status of an issue. Archived issues are `ignored` in the API; old releases say `muted`. In any other state
 * (`reprocessing`, `pending_merge`) nobody has dealt with the issue yet.
 */
function readStatus(sent: JsonField): ErrorStatus {
  switch (sent) {
    case "resolved":
    case "resolvedInNextRelease":
      return ErrorStatus.RESOLVED;
    case "ignored":
    case "muted":
      return ErrorStatus.IGNORED;
    default:
      return ErrorStatus.UNRESOLVED;
  }
}

/**
 * The page of an issue: the permalink of the system, where it is http(s) on the system's own host or a subdomain of it
 * (organizations have one on sentry.io); otherwise the conventional address of issues.
 */
function issueLink(permalink: JsonField, issueId: string, { apiUrl, project }: ExternalLink): string {
  return (
    ownPage(permalink, apiUrl) ??
    `${apiUrl}/organizations/${encodeURIComponent(project.organizationSlug)}/issues/${issueId}/`
  );
}

function ownPage(permalink: JsonField, apiUrl: string): string | undefined {
  // Checked as raw text first: parsing drops tabs and line breaks, and takes `\` for `/`.
  if (typeof permalink !== "string" || !RAW.test(permalink)) return undefined;
  const page = URL.parse(permalink);
  const own = URL.parse(apiUrl)?.hostname;
  if (!page || !own || page.username !== "" || page.password !== "") return undefined;
  return page.hostname === own || page.hostname.endsWith(`.${own}`) ? page.href : undefined;
}

const RAW = /^https?:\/\/[^\s\\@"'<>`\p{C}]{1,2000}$/iu;

/**
 * Events in each hour of a window, dense, oldest first, from pairs `[seconds since 1970, count]`: 24 or 25 of them for
 * a day. Pairs outside the window and invalid ones are left out.
 */
export function readHourlyStats(json: JsonValue, window: { firstHour: number; hours: number }): number[] {
  const counts = Array.from({ length: window.hours }, () => 0);
  if (!Array.isArray(json)) return counts;
  for (const pair of json.slice(0, maxPairs)) {
    if (!Array.isArray(pair) || typeof pair[0] !== "number") continue;
    const index = Math.floor((pair[0] * 1000) / hourMs) - window.firstHour;
    const before = counts[index];
    if (before !== undefined) counts[index] = Math.min(before + countOf(pair[1]), 0xffff_ffff);
  }
  return counts;
}

/** The longest window is 90 days in hours; twice as many pairs for finer answers. */
const maxPairs = 4320;
