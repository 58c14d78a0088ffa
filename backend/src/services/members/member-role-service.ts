import { invalidField, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, MemberRoleService, Role } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { allPermissions, permissionsOf, roleNames } from "../access/roles.ts";
import type { Delegated } from "../instance/delegation.ts";
import { memberRoleNotFound } from "./given-role.ts";
import { InvitationEntity, openInvitations } from "./invitations.ts";
import { MemberRoleEntity, memberRoleToProto } from "../tables/member-role.ts";
import { MemberEntity } from "../tables/member.ts";

const rolesKept = 100;

/** Custom roles (specification 9.3). They never change, so a member's rights change only when a role is given. */
export function memberRoleService(parts: {
  orm: MikroORM;
  clock: Clock;
  delegated: Delegated;
}): Handlers<typeof MemberRoleService, CoreCall> {
  const { orm, clock, delegated } = parts;

  return {
    async listMemberRoles() {
      const rows = await orm.em.fork().findAll(MemberRoleEntity, { orderBy: { id: "asc" }, limit: rolesKept });
      return { memberRoles: rows.map(memberRoleToProto) };
    },

    async createMemberRole(request) {
      const name = request.name.trim();
      const description = request.description.trim();
      const { baseRole } = request;
      if (name === "" || name.length > 255) throw invalidField("name", "Give the role a name of 1 to 255 characters.");
      if (description.length > 255) throw invalidField("description", "A description has at most 255 characters.");
      if (!roleNames.has(baseRole) || baseRole === Role.OWNER) {
        throw invalidField("base_role", "Choose a base role from Guest to Maintainer.");
      }
      if (!request.permissions.every((one) => allPermissions.includes(one))) {
        throw invalidField("permissions", "One of these permissions does not exist.");
      }
      const base = permissionsOf(baseRole);
      const added = allPermissions.filter((one) => request.permissions.includes(one) && !base.has(one));
      if (added.length === 0) {
        throw invalidField("permissions", `Choose a permission that the role ${roleNames.get(baseRole)} lacks.`);
      }

      const row = await orm.em
        .fork()
        .transactional(async (em) => {
          if ((await em.count(MemberRoleEntity)) >= rolesKept) {
            throw new ServiceError(
              ErrorReason.LIMIT_REACHED,
              `An installation has at most ${rolesKept} custom roles. Delete one first.`,
            );
          }
          const permissions = added.join(" ");
          const made = em.create(MemberRoleEntity, {
            name,
            description,
            baseRole,
            permissions,
            createdAt: clock.now(),
          });
          await em.flush();
          return made;
        })
        .catch((error: unknown) => {
          if (!(error instanceof UniqueConstraintViolationException)) throw error;
          throw invalidField("name", `Another custom role has the name ${name}. Choose another name.`);
        });
      return { memberRole: memberRoleToProto(row) };
    },

    async deleteMemberRole({ memberRoleId }) {
      const memberRole = await orm.em.fork().transactional(async (em) => {
        const row = await em.findOne(MemberRoleEntity, { id: memberRoleId });
        if (!row) throw memberRoleNotFound();
        const memberCount = await em.count(MemberEntity, { memberRoleId });
        const invitationCount = (await openInvitations(em, { memberRoleId }, { now: clock.now(), delegated })).length;
        if (memberCount + invitationCount > 0) {
          throw new ServiceError(
            ErrorReason.MEMBER_ROLE_IN_USE,
            `The custom role ${row.name} is in use: ${counted(memberCount, "member")} and ` +
              `${counted(invitationCount, "open invitation")} have it. Give them another role first.`,
          );
        }
        await em.nativeDelete(InvitationEntity, { memberRoleId }); // none of them can be accepted anymore
        const deleted = memberRoleToProto(row);
        await em.remove(row).flush();
        return deleted;
      });
      return { memberRole };
    },
  };
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
