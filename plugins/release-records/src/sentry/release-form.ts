import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { millisecondsOf } from "@faultline/plugin";
import type { Commit, Deploy, ReleaseRecord } from "@faultline/proto";
import type { NamedProject } from "./named-projects.ts";

const isoTime = (time: Timestamp | undefined) => (time ? new Date(millisecondsOf(time)).toISOString() : null);

/** A project of a release, with the errors that began in it there. */
export interface OfRelease extends Pick<NamedProject, "slug"> {
  readonly newGroups?: number;
}

/** A release as Sentry's API has it. */
export function releaseForm(
  record: Pick<ReleaseRecord, "version" | "createdTime"> & Partial<ReleaseRecord>,
  projects: readonly OfRelease[],
): object {
  return {
    version: record.version,
    shortVersion: record.version,
    url: record.url || null,
    ref: record.ref || null,
    dateCreated: isoTime(record.createdTime),
    dateStarted: isoTime(record.startedTime),
    dateReleased: isoTime(record.releasedTime),
    commitCount: record.commitCount ?? 0,
    newGroups: projects.reduce((sum, { newGroups = 0 }) => sum + newGroups, 0),
    lastEvent: null,
    projects: projects.map(({ slug, newGroups = 0 }) => ({ slug, name: slug, newGroups })),
  };
}

/** A deploy as Sentry's API has it. */
export const deployForm = (deploy: Deploy): object => ({
  id: String(deploy.deployId),
  environment: deploy.environment,
  name: deploy.name || null,
  url: deploy.url || null,
  dateStarted: isoTime(deploy.startedTime),
  dateFinished: isoTime(deploy.finishedTime),
});

/** A commit as Sentry's API has it. */
export const commitForm = (commit: Commit): object => ({
  id: commit.commitId,
  message: commit.message || null,
  dateCreated: isoTime(commit.committedTime),
  author: { name: commit.authorName, email: commit.authorEmail },
  repository: { name: commit.repository },
});
