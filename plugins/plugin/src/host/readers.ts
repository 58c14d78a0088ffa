import type { Permission } from "@faultline/proto";

/**
 * Who may read the errors of which project now, for what a plugin does for people who do not call at the time, or that is not
 * about one project.
 */
export interface Readers {
  /** The members of a project who may read its errors, and those administrators who are among `others`. None is blocked. */
  of(projectId: number, others?: readonly number[]): Promise<readonly Reader[]>;
  /** Those of the projects whose errors a person may read: an administrator those of all. */
  readable(userId: number, projectIds: readonly number[]): Promise<readonly ReadableProject[]>;
  /** The projects that a person is a member of and whose errors they may read, ordered by path. */
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
