import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { InvitationSchema, Role } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { UserRow } from "../users/user.ts";
import { memberRoleToProto, type MemberRoleRow } from "./member-role.ts";

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
