import {
  bodyOf,
  cursorPage,
  decodedInPath,
  noContent,
  operation,
  paramsOf,
  single,
  textInPath,
  whole,
  fromOne,
} from "@faultline/plugin/rest";
import {
  CommitSchema,
  GetPreviousCommitResponseSchema,
  RecordingProjectSchema,
  ReleaseRecordService,
  DeploySchema,
  ListSuspectCommitsResponseSchema,
  ReleaseRecordSchema,
  SuspectCommitSchema,
} from "@faultline/proto";
import { limits } from "./limits.ts";

const deploy = bodyOf(DeploySchema, { deployId: "id", name: null, url: null, startedTime: null });

const releaseRecord = bodyOf(ReleaseRecordSchema, {
  projectId: false,
  url: null,
  ref: null,
  startedTime: null,
  releasedTime: null,
  lastDeploy: { of: deploy, orNull: true },
});

const commit = bodyOf(
  CommitSchema,
  {
    commitId: "id",
    repository: null,
    message: null,
    authorName: null,
    authorEmail: null,
    committedTime: null,
    codeUrl: null,
  },
  { name: "ReleaseCommit" },
);

const suspectCommit = bodyOf(SuspectCommitSchema, {
  commit: { of: commit },
  frameFunction: null,
  frameLineno: { orNull: true, schema: fromOne },
});

const suspects = bodyOf(
  ListSuspectCommitsResponseSchema,
  { version: null, suspectCommits: { as: "commits", of: suspectCommit } },
  { name: "SuspectCommits" },
);

const tag = "Releases";
const { method } = ReleaseRecordService;
const releases = "/projects/:project/error_tracking/releases" as const;
const one = `${releases}/:version` as const;
const names = { minLength: 1, maxLength: limits.version };
const required = { isRequired: true, ...names };
const path = { version: decodedInPath("The release, with `/` written as `%2F`.", names) };
const url = { maxLength: limits.url };

export const listReleaseRecords = operation(
  method.listReleaseRecords,
  "GET /projects/:project/error_tracking/release_records",
  {
    tag,
    summary: "List the releases that builds recorded",
    answer: cursorPage("The records, the one that was recorded last first.", releaseRecord),
  },
);

export const recordRelease = operation(method.recordRelease, `POST ${releases}`, {
  tag,
  summary: "Record a release, or change its record",
  more: "Omitted fields keep their values.",
  params: paramsOf(method.recordRelease.input, {
    version: required,
    url,
    ref: { maxLength: limits.name },
  }),
  answer: single(201, "The record.", releaseRecord),
});

export const getReleaseRecord = operation(method.getReleaseRecord, `GET ${one}`, {
  tag,
  summary: "Read the record of a release",
  path,
  answer: single(200, "The record.", releaseRecord),
});

export const deleteReleaseRecord = operation(method.deleteReleaseRecord, `DELETE ${one}`, {
  tag,
  summary: "Delete the record of a release",
  more: "Its commits and deploys go with it; its errors, sessions and source maps stay.",
  path,
  answer: noContent,
});

export const listCommits = operation(method.listCommits, `GET ${one}/commits`, {
  tag,
  summary: "List the commits of a release",
  path,
  answer: cursorPage("The commits, the newest first.", commit),
});

const commitParams = paramsOf(CommitSchema, {
  commitId: { as: "id", isRequired: true, minLength: 1, maxLength: limits.commitId },
  pathCount: false,
  codeUrl: false,
});

export const recordCommits = operation(method.recordCommits, `PUT ${one}/commits`, {
  tag,
  summary: "Set the commits of a release",
  more: "Those that were set before are replaced. A body has at most 64 KiB; Sentry's tools send more (docs/releases.md).",
  path,
  params: paramsOf(method.recordCommits.input, {
    commits: { isRequired: true, of: commitParams, maxItems: limits.commits },
  }),
  answer: single(200, "The record of the release.", releaseRecord),
});

export const getPreviousCommit = operation(
  method.getPreviousCommit,
  "GET /projects/:project/error_tracking/previous_commit",
  {
    tag,
    summary: "Find the commit after which those of a release begin",
    params: paramsOf(method.getPreviousCommit.input, { version: required }),
    answer: single(
      200,
      "The newest commit of the release that was recorded last before this one and has commits.",
      bodyOf(
        GetPreviousCommitResponseSchema,
        { version: null, commitId: null, repository: null, createdTime: null },
        { name: "PreviousCommit" },
      ),
    ),
  },
);

export const listRecordingProjects = operation(method.listRecordingProjects, "GET /recording_projects", {
  tag,
  summary: "List the projects in which a release is recorded",
  more: "Those where the caller may record releases.",
  params: paramsOf(method.listRecordingProjects.input, { version: required }),
  answer: whole("At most 100, by path.", bodyOf(RecordingProjectSchema)),
});

export const listDeploys = operation(method.listDeploys, "GET /projects/:project/error_tracking/deploys", {
  tag,
  summary: "List the deploys of a project",
  params: paramsOf(method.listDeploys.input, { version: { maxLength: limits.version }, startTime: "since" }),
  answer: cursorPage("The deploys, the one that finished last first.", deploy),
});

export const recordDeploy = operation(method.recordDeploy, `POST ${one}/deploys`, {
  tag,
  summary: "Record a deploy of a release",
  path,
  params: paramsOf(method.recordDeploy.input, {
    environment: { isRequired: true, minLength: 1, maxLength: limits.environment },
    name: { maxLength: limits.name },
    url,
  }),
  answer: single(201, "The deploy.", deploy),
});

export const listSuspectCommits = operation(
  method.listSuspectCommits,
  "GET /projects/:project/error_tracking/errors/:error_id/suspect_commits",
  {
    tag: "Errors",
    summary: "List commits that an error may come from",
    more: "Those of the release in which it was first seen that changed a file of its stack; at most 5.",
    path: { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) },
    answer: single(200, "The commits, the most suspect first.", suspects),
  },
);
