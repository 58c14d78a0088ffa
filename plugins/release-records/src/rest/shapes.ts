import { bodyOf, fromOne } from "@faultline/plugin/rest";
import {
  CommitSchema,
  DeploySchema,
  ListSuspectCommitsResponseSchema,
  ReleaseRecordSchema,
  SuspectCommitSchema,
} from "@faultline/proto";

export const deploy = bodyOf(DeploySchema, { deployId: "id", name: null, url: null, startedTime: null });

export const releaseRecord = bodyOf(ReleaseRecordSchema, {
  projectId: false,
  url: null,
  ref: null,
  startedTime: null,
  releasedTime: null,
  lastDeploy: { of: deploy, orNull: true },
});

export const commit = bodyOf(
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

export const suspects = bodyOf(
  ListSuspectCommitsResponseSchema,
  { version: null, suspectCommits: { as: "commits", of: suspectCommit } },
  { name: "SuspectCommits" },
);
