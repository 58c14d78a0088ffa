import { Role, type Permission } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import { MemberRoleEntity, addedBy } from "../tables/member-role.ts";
import { MemberEntity } from "../tables/member.ts";
import { ProjectEntity, type ProjectRow, projectNotFound } from "../tables/project.ts";
import { UserEntity, type UserRow } from "../tables/user.ts";
import type { AccessMemory } from "./access-memory.ts";
import { permissionsOf } from "./roles.ts";

/** The rights of a user in one project. */
export interface Grant {
  readonly project: ProjectRow;
  /** The base role of a custom role; Owner for administrators. */
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
}

/** Finds the rights of users in projects. A hidden project looks like a missing project. */
export class Grants {
  readonly #orm: MikroORM;
  readonly #memory: AccessMemory;

  constructor(orm: MikroORM, memory: AccessMemory) {
    this.#orm = orm;
    this.#memory = memory;
  }

  /**
   * Finds rights by id or path. Refuses with PROJECT_NOT_FOUND if the user is neither a member nor an administrator.
   */
  async of(user: UserRow, key: number | string): Promise<Grant> {
    // The cache key includes the type of `key` because a path of digits must not match the project with that id. It
    // includes the fields of the user that the result depends on because the row may be older than a change.
    return this.#memory.remembered(`grant ${user.id} ${user.isAdmin} ${typeof key} ${key}`, async () => {
      const found = await findGrant(this.#orm.em.fork(), user, key);
      if (!found) throw projectNotFound();
      return found;
    });
  }

  /**
   * Like `of`, for a caller who was admitted earlier and may have lost rights since. Reads the user again: the old row
   * would put the old rights into the cache.
   */
  async now(userId: number, key: number | string): Promise<Grant> {
    const user = await this.#memory.remembered(`user ${userId}`, () =>
      this.#orm.em.fork().findOne(UserEntity, { id: userId, isBlocked: false }),
    );
    if (!user) throw projectNotFound();
    return this.of(user, key);
  }
}

/** Reads the rights in the transaction of `em`; undefined if the user is neither a member nor an administrator. */
export async function findGrant(em: EntityManager, user: UserRow, key: number | string): Promise<Grant | undefined> {
  const by = typeof key === "number" ? { id: key } : { path: key };
  const project = await em.findOne(ProjectEntity, { ...by, deletedAt: null });
  if (project && user.isAdmin) return { project, role: Role.OWNER, permissions: permissionsOf(Role.OWNER) };
  // Queried for a missing project too: otherwise the response time would distinguish it from a hidden project.
  const member = await em.findOne(MemberEntity, { projectId: project?.id ?? 0, userId: user.id });
  if (!project || !member) return undefined;
  const custom = member.memberRoleId == null ? null : await em.findOne(MemberRoleEntity, { id: member.memberRoleId });
  return { project, role: member.role, permissions: permissionsOf(member.role, addedBy(custom?.permissions)) };
}
