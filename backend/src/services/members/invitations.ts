import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type Clock, type Handlers, timestamp } from "@faultline/plugin";
import { ErrorReason, type MemberService, Permission, type InvitationSchema, type Role } from "@faultline/proto";
import { type FilterQuery, defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { MikroORM, EntityManager } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { findGrant, type Grant } from "../access/grants.ts";
import type { CoreCall } from "../access/guard.ts";
import { invitationPurpose, newToken } from "../access/tokens.ts";
import { mayInvite, refuseUnless, type Delegated } from "../instance/delegation.ts";
import type { ProjectRow } from "../tables/project.ts";
import { UserEntity, type UserRow } from "../tables/user.ts";
import { askedRole, checkMayGive, givenRole, mayGive, type GivenRole } from "./given-role.ts";
import { memberRoleToProto, type MemberRoleRow } from "../tables/member-role.ts";

const invitationMs = 7 * 24 * 3_600_000;
const invitationsOpen = 100;

type InvitationMethods = "createInvitation" | "listInvitations" | "revokeInvitation";

/** Links that let a person join a project. Only the digest of a link's token is stored. */
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

/** An invitation that can be accepted. */
export interface OpenInvitation {
  readonly row: InvitationRow;
  readonly given: GivenRole;
  readonly project: ProjectRow;
  readonly maker: UserRow;
}

/**
 * The invitations that can be accepted now, newest first: they have not expired, the project is not deleted, and their
 * makers may still invite and give that role, so that a former maintainer cannot return by an old link.
 */
export async function openInvitations(
  em: EntityManager,
  which: FilterQuery<InvitationRow>,
  { now, delegated }: { now: number; delegated: Delegated },
): Promise<OpenInvitation[]> {
  const rows = await em.find(
    InvitationEntity,
    { $and: [which, { expiresAt: { $gt: now } }] },
    { orderBy: { id: "desc" } },
  );
  const grants = new Map<string, Grant | undefined>();
  const open: OpenInvitation[] = [];
  for (const row of rows) {
    const maker = await em.findOne(UserEntity, { id: row.invitedBy });
    if (!maker || maker.isBlocked || !mayInvite(delegated, maker).allowed) continue;
    const key = `${maker.id} ${row.projectId}`;
    if (!grants.has(key)) grants.set(key, await findGrant(em, maker, row.projectId));
    const grant = grants.get(key);
    const given = await givenRole(em, row);
    if (!grant?.permissions.has(Permission.ADMIN_MEMBERS) || !mayGive(grant, given)) continue;
    open.push({ row, given, project: grant.project, maker });
  }
  return open;
}

/** The refusal if no open invitation matches. */
export function invitationNotFound(message: string): ServiceError {
  return new ServiceError(ErrorReason.INVITATION_NOT_FOUND, message);
}

export const InvitationEntity = defineEntity({
  name: "Invitation",
  tableName: "invitation",
  properties: {
    id: p.integer().primary(),
    projectId: p.integer(),
    tokenDigest: p.string(),
    role: p.integer().$type<Role>(),
    memberRoleId: p.integer().nullable(),
    note: p.string(),
    /** The id of a user. */
    invitedBy: p.integer(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number"),
  },
});
export type InvitationRow = InferEntity<typeof InvitationEntity>;

/** `memberRole` is the row's custom role, `maker` the user who invites. */
export function invitationToProto(
  row: InvitationRow,
  maker: UserRow,
  memberRole: MemberRoleRow | null,
): MessageInitShape<typeof InvitationSchema> {
  return {
    invitationId: row.id,
    projectId: row.projectId,
    role: row.role,
    ...(memberRole && { memberRole: memberRoleToProto(memberRole) }),
    note: row.note,
    invitedBy: maker.username,
    createdTime: timestamp(row.createdAt),
    expiresTime: timestamp(row.expiresAt),
  };
}
