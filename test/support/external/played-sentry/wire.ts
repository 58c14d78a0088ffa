import type { FakeData, FakeIssue, FakeOrganization, FakeProject } from "./data.ts";

/** The shapes of the Sentry web API: organizations, projects and issues. */

const hourSeconds = 3_600;

export const iso = (at: number) => new Date(at).toISOString();

export function wireOrganization({ id, slug, name }: FakeOrganization) {
  return { id, slug, name, status: { id: "active", name: "active" }, dateCreated: iso(0), isEarlyAdopter: false };
}

export function wireProject(project: FakeProject, { organizations }: FakeData) {
  const { id, slug, name, status } = project;
  const organization = organizations.find((one) => one.slug === project.organization);
  return {
    id,
    slug,
    name,
    platform: "node",
    dateCreated: iso(0),
    isBookmarked: false,
    isMember: true,
    features: ["releases"],
    status,
    ...(organization && { organization: wireOrganization(organization) }),
  };
}

/** An issue in a list. */
export function wireIssue(issue: FakeIssue, data: FakeData, { now, origin }: { now: number; origin: string }) {
  const project = data.projects.find(({ id }) => id === issue.project);
  return {
    id: issue.id,
    shareId: null,
    shortId: `${project?.slug.toUpperCase()}-${Number(issue.id).toString(36).toUpperCase()}`,
    title: issue.title,
    culprit: issue.culprit,
    permalink: `${origin}/organizations/${project?.organization}/issues/${issue.id}/`,
    logger: issue.logger === "" ? null : issue.logger,
    level: issue.level,
    status: issue.status,
    statusDetails: {},
    substatus: issue.status !== "unresolved" ? null : issue.cameBack ? "regressed" : "ongoing",
    isPublic: false,
    platform: issue.platform,
    project: { id: issue.project, name: project?.name, slug: project?.slug, platform: "node" },
    type: issue.type === "" ? "default" : "error",
    metadata: issue.type === "" ? { title: issue.value } : { type: issue.type, value: issue.value, filename: "app.js" },
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: true,
    annotations: [],
    issueType: "error",
    issueCategory: "error",
    isUnhandled: false,
    count: String(issue.count),
    userCount: issue.userCount,
    firstSeen: iso(issue.firstSeen),
    lastSeen: iso(issue.lastSeen),
    stats: { "24h": series(issue, { until: now / 1000, hours: 24 }) },
  };
}

/** An issue alone: with its releases and more of its history. */
export function wireIssueDetails(issue: FakeIssue, data: FakeData, at: { now: number; origin: string }) {
  const { stats, ...listed } = wireIssue(issue, data, at);
  const days = Array.from({ length: 31 }, (_, day) => [Math.floor(at.now / 86_400_000 - 30 + day) * 86_400, 0]);
  return {
    ...listed,
    firstRelease: wireRelease(issue.firstRelease),
    lastRelease: wireRelease(issue.lastRelease),
    activity: [],
    seenBy: [],
    participants: [],
    pluginActions: [],
    pluginIssues: [],
    pluginContexts: [],
    userReportCount: 0,
    tags: Object.entries(issue.tags).map(([key]) => ({ key, name: key, totalValues: issue.count })),
    stats: { ...stats, "30d": days },
  };
}

export function wireRelease(version: string) {
  if (version === "") return null;
  return { id: 1, version, shortVersion: version, versionInfo: null, status: "open", lastCommit: null, ref: null };
}

/** The events of each hour, up to the hour of `until`, in seconds since 1970. */
export function series({ hours }: FakeIssue, window: { until: number; hours: number }): [number, number][] {
  const last = Math.floor(window.until / hourSeconds) * hourSeconds;
  return Array.from({ length: window.hours }, (_, index) => {
    const start = last - (window.hours - 1 - index) * hourSeconds;
    return [start, hours[start] ?? 0];
  });
}
