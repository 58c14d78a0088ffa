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
  /** The base role of a custom one; Owner for administrators. */
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
}

/** Finds the rights of users in projects; a hidden project looks like a missing one. */
export class Grants {
  readonly #orm: MikroORM;
  readonly #memory: AccessMemory;

  constructor(orm: MikroORM, memory: AccessMemory) {
    this.#orm = orm;
    this.#memory = memory;
  }

  /** By id or path; refuses with PROJECT_NOT_FOUND when the user is no member and no administrator. */
  async of(user: UserRow, key: number | string): Promise<Grant> {
    // The cache key includes the type of `key`, as a path may consist of digits and must not match the project of that
    // id, and the fields of the user on which the result depends, as the row may be older than a change.
    return this.#memory.remembered(`grant ${user.id} ${user.isAdmin} ${typeof key} ${key}`, async () => {
      const found = await findGrant(this.#orm.em.fork(), user, key);
      if (!found) throw projectNotFound();
      return found;
    });
  }

  /**
   * As `of`, for a caller who was admitted a while ago and may have lost rights since. It reads the user again: with
   * the row from then, the old rights would be cached as the present ones.
   */
  async now(userId: number, key: number | string): Promise<Grant> {
    const user = await this.#memory.remembered(`user ${userId}`, () =>
      this.#orm.em.fork().findOne(UserEntity, { id: userId, isBlocked: false }),
    );
    if (!user) throw projectNotFound();
    return this.of(user, key);
  }
}

/** As the transaction of `em` sees it; undefined when the user is no member and no administrator. */
export async function findGrant(em: EntityManager, user: UserRow, key: number | string): Promise<Grant | undefined> {
  const by = typeof key === "number" ? { id: key } : { path: key };
  const project = await em.findOne(ProjectEntity, { ...by, deletedAt: null });
  if (project && user.isAdmin) return { project, role: Role.OWNER, permissions: permissionsOf(Role.OWNER) };
  // Queried for a missing project too: otherwise the time of a refusal would distinguish it from a hidden one.
  const member = await em.findOne(MemberEntity, { projectId: project?.id ?? 0, userId: user.id });
  if (!project || !member) return undefined;
  const custom = member.memberRoleId == null ? null : await em.findOne(MemberRoleEntity, { id: member.memberRoleId });
  return { project, role: member.role, permissions: permissionsOf(member.role, addedBy(custom?.permissions)) };
}
