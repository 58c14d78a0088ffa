import { invalidField, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type MemberService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import { hashPassword, newPassword } from "../access/password.ts";
import { beginSession } from "../access/sessions.ts";
import { invitationPurpose, newToken } from "../access/tokens.ts";
import type { CoreCall } from "../access/guard.ts";
import { UserEntity, userToProto, type UserRow } from "../users/user.ts";
import { InvitationEntity, invitationToProto } from "./invitation.ts";
import { MemberEntity, memberToProto, type MemberRow } from "./member.ts";
import { mayInvite, refuseUnless, type Delegated } from "../instance/delegation.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { displayName, emailAddress, refuseTaken, username } from "../users/user-fields.ts";
import { allowsAll, askedRole, checkMayGive, givenRole, type GivenRole } from "./given-role.ts";
import { openInvitations, type OpenInvitation } from "./open-invitations.ts";

const invitationMs = 7 * 24 * 3_600_000;
const invitationsOpen = 100;

type InvitationMethods =
  | "createInvitation"
  | "listInvitations"
  | "revokeInvitation"
  | "getInvitation"
  | "acceptInvitation"
  | "registerByInvitation";

/** Links that let one person join a project. Only the digest of a link's token is stored. */
export function invitations(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
  delegated: Delegated;
}): Pick<Handlers<typeof MemberService, CoreCall>, InvitationMethods> {
  const { orm, keyRing, clock, memory, baseUrl, delegated } = parts;

  const invitationOf = async (em: EntityManager, token: string): Promise<OpenInvitation> => {
    const tokenDigest = keyRing.digest(invitationPurpose, token.slice(0, 1024));
    const [open] = await openInvitations(em, { tokenDigest }, { now: clock.now(), delegated });
    if (!open) throw invitationNotFound("This invitation was used, taken back or has expired. Ask for a new one.");
    return open;
  };

  /** Uses the invitation up. Who is a member already keeps the role that allows more. */
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
    async createInvitation(request, { caller, grant }) {
      refuseUnless(mayInvite(delegated, caller.user));
      const { projectId } = request;
      const note = request.note.trim();
      if (note.length > 255) throw invalidField("note", "A note has at most 255 characters.");
      const token = newToken("invitation");
      const now = clock.now();
      const invitation = await orm.em.fork().transactional(async (em) => {
        const given = await askedRole(em, request);
        checkMayGive(grant, given);
        if ((await openInvitations(em, { projectId }, { now, delegated })).length >= invitationsOpen) {
          throw new ServiceError(
            ErrorReason.LIMIT_REACHED,
            `The project has ${invitationsOpen} open invitations, which is the most there may be. Take one back first.`,
          );
        }
        const row = em.create(InvitationEntity, {
          projectId,
          tokenDigest: keyRing.digest(invitationPurpose, token),
          role: given.role,
          memberRoleId: given.memberRole?.id ?? null,
          note,
          invitedBy: caller.user.id,
          createdAt: now,
          expiresAt: now + invitationMs,
        });
        await em.flush();
        return invitationToProto(row, caller.user, given.memberRole);
      });
      return { invitation, url: `${baseUrl()}/-/invitations/${token}` };
    },

    async listInvitations({ projectId }) {
      const open = await openInvitations(orm.em.fork(), { projectId }, { now: clock.now(), delegated });
      return {
        invitations: open
          .slice(0, invitationsOpen)
          .map(({ row, maker, given }) => invitationToProto(row, maker, given.memberRole)),
      };
    },

    async revokeInvitation({ projectId, invitationId }) {
      const invitation = await orm.em.fork().transactional(async (em) => {
        const row = await em.findOne(InvitationEntity, {
          id: invitationId,
          projectId,
          expiresAt: { $gt: clock.now() },
        });
        if (!row) throw invitationNotFound("This project has no such open invitation.");
        const maker = await em.findOneOrFail(UserEntity, { id: row.invitedBy });
        const revoked = invitationToProto(row, maker, (await givenRole(em, row)).memberRole);
        await em.remove(row).flush();
        return revoked;
      });
      return { invitation };
    },

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
      await invitationOf(orm.em.fork(), request.token); // before the work of hashing
      const fields = {
        username: username(request.username),
        name: displayName(request.name || request.username),
        email: emailAddress(request.email),
        passwordHash: await hashPassword(newPassword(request.password)),
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

/** Deletes invitations that have expired. */
export async function deleteExpiredInvitations(orm: MikroORM, clock: Clock): Promise<void> {
  await orm.em.fork().nativeDelete(InvitationEntity, { expiresAt: { $lte: clock.now() } });
}

/** Whether a role allows all that another one does, and more. */
function allowsMore(given: GivenRole, present: GivenRole): boolean {
  const isMore = given.permissions.size > present.permissions.size || given.role > present.role;
  return isMore && allowsAll(given, present);
}

function invitationNotFound(message: string): ServiceError {
  return new ServiceError(ErrorReason.INVITATION_NOT_FOUND, message);
}
