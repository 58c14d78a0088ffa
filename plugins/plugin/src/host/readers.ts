import type { Permission } from "@faultline/proto";

/**
 * Who may currently read the errors of which project, for work of plugins that serves people without a call from them,
 * or that spans several projects.
 */
export interface Readers {
  /**
   * The members of a project who may read its errors, and the administrators among `others`. Blocked users are left
   * out.
   */
  of(projectId: number, others?: readonly number[]): Promise<readonly Reader[]>;
  /** Keeps only projects with errors that a person may read. An administrator may read all. */
  readable(userId: number, projectIds: readonly number[]): Promise<readonly ReadableProject[]>;
  /** A person's memberships in projects with errors that they may read, ordered by path. */
  memberships(userId: number): Promise<readonly ReadableProject[]>;
}

export interface Reader {
  readonly userId: number;
  readonly username: string;
  /** The rights in the project. */
  readonly permissions: ReadonlySet<Permission>;
}

export interface ReadableProject {
  readonly projectId: number;
  readonly path: string;
  /** The person's rights in it. */
  readonly permissions: ReadonlySet<Permission>;
}
