import { Permission, ErrorReason } from "@faultline/proto";
import type { FilterQuery } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/sql";
import { ServiceError } from "@faultline/plugin";
import { findGrant, type Grant } from "../access/grants.ts";
import type { ProjectRow } from "../projects/project.ts";
import { UserEntity, type UserRow } from "../users/user.ts";
import { InvitationEntity, type InvitationRow } from "./invitation.ts";
import { mayInvite, type Delegated } from "../instance/delegation.ts";
import { givenRole, mayGive, type GivenRole } from "./given-role.ts";

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

/** The refusal when no open invitation matches. */
export function invitationNotFound(message: string): ServiceError {
  return new ServiceError(ErrorReason.INVITATION_NOT_FOUND, message);
}
