import { invalidField, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type MemberService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { invitationPurpose, newToken } from "../access/tokens.ts";
import type { CoreCall } from "../access/guard.ts";
import { InvitationEntity, invitationToProto } from "./invitation.ts";
import { UserEntity } from "../users/user.ts";
import { mayInvite, refuseUnless, type Delegated } from "../instance/delegation.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { askedRole, checkMayGive, givenRole } from "./given-role.ts";
import { openInvitations, invitationNotFound } from "./open-invitations.ts";

const invitationMs = 7 * 24 * 3_600_000;
const invitationsOpen = 100;

type InvitationMethods = "createInvitation" | "listInvitations" | "revokeInvitation";

/** Links that let one person join a project. Only the digest of a link's token is stored. */
export function invitations(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  baseUrl: () => string;
  delegated: Delegated;
}): Pick<Handlers<typeof MemberService, CoreCall>, InvitationMethods> {
  const { orm, keyRing, clock, baseUrl, delegated } = parts;

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
            `A project has at most ${invitationsOpen} open invitations. Revoke one first.`,
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
  };
}

/** Deletes invitations that have expired. */
export async function deleteExpiredInvitations(orm: MikroORM, clock: Clock): Promise<void> {
  await orm.em.fork().nativeDelete(InvitationEntity, { expiresAt: { $lte: clock.now() } });
}
