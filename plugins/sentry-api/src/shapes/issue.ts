import { ErrorStatus, type Error as TrackedError, type Project } from "@faultline/proto";
import { statusWord } from "../status.ts";
import { isoTime } from "../times.ts";
import { projectReference } from "./project.ts";

/**
 * An issue in lists and in answers to updates. `origin` begins the links to this installation. `faultline` holds fields
 * that Sentry does not have, so that another Faultline shows the error exactly like this one.
 */
export function issueShape(error: TrackedError, { project, origin }: { project: Project; origin: string }): object {
  return {
    id: error.errorId,
    shareId: null,
    shortId: error.shortId,
    title: error.title,
    culprit: error.culprit,
    permalink: `${origin}/${project.path}/-/error_tracking/${error.errorId}/details`,
    logger: null,
    level: error.level,
    status: statusWord(error.status),
    statusDetails: {},
    substatus: substatusOf(error),
    isPublic: false,
    platform: error.platform,
    project: projectReference(project),
    ...typeAndMetadata(error),
    issueType: "error",
    issueCategory: "error",
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: false,
    annotations: [],
    isUnhandled: false,
    count: String(error.eventCount),
    userCount: error.affectedUserCount,
    firstSeen: isoTime(error.firstSeenTime),
    lastSeen: isoTime(error.lastSeenTime),
    firstRelease: releaseShape(error.firstRelease, error.firstCommit),
    lastRelease: releaseShape(error.lastRelease, error.lastCommit),
    faultline: {
      settledLastSeen: isoTime(error.settledLastSeenTime),
      reopened: isoTime(error.reopenedTime),
    },
  };
}

/** The only substatus known here: the issue was reopened after it was resolved. */
const substatusOf = ({ status, reopenedTime }: TrackedError) =>
  status === ErrorStatus.UNRESOLVED && reopenedTime ? "regressed" : null;

/**
 * Fields that only the details of an issue have. Fields not stored here are empty, because clients read them unchecked.
 */
export const emptyDetails = {
  activity: [],
  participants: [],
  pluginActions: [],
  pluginContexts: [],
  pluginIssues: [],
  seenBy: [],
  tags: [],
  userReportCount: 0,
} as const;

/** The type of an error or event, and the parts of its title. For messages, `value` is our addition. */
export function typeAndMetadata({ type, value, title }: { type: string; value: string; title: string }): object {
  return type === "" ? { type: "default", metadata: { title, value } } : { type: "error", metadata: { type, value } };
}

/** A release with its name and commit, the only known fields; null without a release. */
export function releaseShape(version: string, commit: string): object | null {
  if (version === "") return null;
  return {
    version,
    shortVersion: version,
    ref: null,
    url: null,
    dateReleased: null,
    dateCreated: null,
    lastCommit: commit === "" ? null : { id: commit, message: null, dateCreated: null },
  };
}
