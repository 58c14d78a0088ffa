import type { Generated, Selectable } from "kysely";

/** The tables that the plugin reads and writes. */
export interface Tables {
  release_record: RecordTable;
  release_commit: CommitTable;
  release_deploy: DeployTable;
  project: { id: number; path: string };
}

/** A recorded release. */
interface RecordTable {
  id: Generated<number>;
  project_id: number;
  version: string;
  url: string;
  ref: string;
  created_at: number;
  started_at: number | null;
  released_at: number | null;
  /** Since when the time is counted after which it is deleted. */
  used_at: number;
  commit_count: number;
  /** The bytes of its row and of the rows of its commits and deploys. 0 if they are not counted yet. */
  bytes: Generated<number>;
}

/** A commit of a release; `position` is 0 for the newest. */
interface CommitTable {
  release_id: number;
  position: number;
  commit_id: string;
  repository: string;
  message: string;
  author_name: string;
  author_email: string;
  committed_at: number | null;
  /** JSON list of the paths of changed files. */
  paths: string;
  path_count: number;
}

interface DeployTable {
  id: Generated<number>;
  project_id: number;
  release_id: number;
  environment: string;
  name: string;
  url: string;
  started_at: number | null;
  finished_at: number;
}

export type RecordRow = Selectable<RecordTable>;
export type CommitRow = Selectable<CommitTable>;
export type DeployRow = Selectable<DeployTable> & { readonly version: string };
