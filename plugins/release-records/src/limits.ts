/** The limits of what builds record; see docs/releases.md. */
export const limits = {
  /** Records of a project. */
  records: 5_000,
  /** Bytes of the records of a project that has no limit of bytes kept. */
  bytesWithoutLimit: 64 * 1024 * 1024,
  /** Commits of a release. */
  commits: 1_000,
  /** Changed files of a commit, and of all commits of a release. */
  pathsOfCommit: 200,
  pathsOfRelease: 10_000,
  /** Deploys of a release. */
  deploys: 100,
  /** How long a record stays that is not used. */
  unusedDays: 90,
  /** Characters. */
  version: 200,
  environment: 64,
  name: 200,
  url: 2_048,
  commitId: 64,
  repository: 200,
  message: 1_000,
  author: 254,
  path: 500,
} as const;
