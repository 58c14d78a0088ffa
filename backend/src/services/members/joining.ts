import type { Clock, Handlers } from "@faultline/plugin";
import type { MemberService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import { hashPassword, newPassword } from "../accounts/password.ts";
import { beginSession } from "../access/sessions.ts";
import { invitationPurpose } from "../access/tokens.ts";
import type { CoreCall } from "../access/guard.ts";
import { InvitationEntity, invitationToProto } from "./invitation.ts";
import { MemberEntity, type MemberRow, memberToProto } from "./member.ts";
import { UserEntity, type UserRow, userToProto } from "../users/user.ts";
import type { Delegated } from "../instance/delegation.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { displayName, emailAddress, refuseTaken, username } from "../users/user-fields.ts";
import { allowsAll, givenRole, type GivenRole } from "./given-role.ts";
import { openInvitations, invitationNotFound, type OpenInvitation } from "./open-invitations.ts";

type JoiningMethods = "getInvitation" | "acceptInvitation" | "registerByInvitation";

/** The methods by which a person accepts the link of an invitation. */
export function joining(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  delegated: Delegated;
}): Pick<Handlers<typeof MemberService, CoreCall>, JoiningMethods> {
  const { orm, keyRing, clock, memory, delegated } = parts;

  const invitationOf = async (em: EntityManager, token: string): Promise<OpenInvitation> => {
    const tokenDigest = keyRing.digest(invitationPurpose, token.slice(0, 1024));
    const [open] = await openInvitations(em, { tokenDigest }, { now: clock.now(), delegated });
    if (!open) throw invitationNotFound("This invitation was used or revoked, or has expired. Ask for a new one.");
    return open;
  };

  /** Uses the invitation up. A person who is already a member keeps the role that allows more. */
  const join = async (em: EntityManager, { row, given, project }: OpenInvitation, user: UserRow) => {
    await em.nativeDelete(InvitationEntity, { id: row.id });
    const [projectId, userId] = [project.id, user.id];
    const role = { role: given.role, memberRoleId: given.memberRole?.id ?? null };
    let member: MemberRow | null = await em.findOne(MemberEntity, { projectId, userId });
    if (!member) member = em.create(MemberEntity, { projectId, userId, ...role, createdAt: clock.now() });
    else if (allowsMore(given, await givenRole(em, member))) Object.assign(member, role);
    await em.flush();
    return memberToProto(member, user, (await givenRole(em, member)).memberRole, user);
  };

  return {
    async getInvitation({ token }) {
      const { row, maker, given, project } = await invitationOf(orm.em.fork(), token);
      const invitation = invitationToProto({ ...row, note: "" }, maker, given.memberRole);
      return { invitation, projectPath: project.path };
    },

    async acceptInvitation({ token }, { caller }) {
      const accepted = await orm.em.fork().transactional(async (em) => {
        const open = await invitationOf(em, token);
        return { member: await join(em, open, caller.user), projectPath: open.project.path };
      });
      memory.changed();
      return accepted;
    },

    async registerByInvitation(request) {
      const { row } = await invitationOf(orm.em.fork(), request.token); // before the cost of hashing
      const fields = {
        username: username(request.username),
        name: displayName(request.name || request.username),
        email: emailAddress(request.email),
        passwordHash: await hashPassword(newPassword(request.password), { known: `invitation ${row.id}` }),
      };
      const now = clock.now();
      const registered = await orm.em
        .fork()
        .transactional(async (em) => {
          const open = await invitationOf(em, request.token);
          const user = em.create(UserEntity, { ...fields, isAdmin: false, createdAt: now, lastSignInAt: now });
          await em.flush();
          await join(em, open, user);
          const { clientAddress, userAgent } = request;
          const session = await beginSession(em, { keyRing, now, user, clientAddress, userAgent });
          return { ...session, user: userToProto(user, user), projectPath: open.project.path };
        })
        .catch(refuseTaken);
      memory.changed();
      return registered;
    },
  };
}

/** Whether a role allows everything that another one does, and more. */
function allowsMore(given: GivenRole, present: GivenRole): boolean {
  const isMore = given.permissions.size > present.permissions.size || given.role > present.role;
  return isMore && allowsAll(given, present);
}
