import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { MemberSchema, Role } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { userToProto, type UserRow } from "./user.ts";
import { memberRoleToProto, type MemberRoleRow } from "./member-role.ts";

export const MemberEntity = defineEntity({
  name: "Member",
  tableName: "member",
  properties: {
    projectId: p.integer().primary(),
    userId: p.integer().primary(),
    role: p.integer().$type<Role>(),
    memberRoleId: p.integer().nullable(),
    createdAt: p.bigint("number"),
  },
});
export type MemberRow = InferEntity<typeof MemberEntity>;

/** `memberRole` is the row's custom role. */
export function memberToProto(
  row: MemberRow,
  user: UserRow,
  memberRole: MemberRoleRow | null,
  viewer: UserRow,
): MessageInitShape<typeof MemberSchema> {
  return {
    user: userToProto(user, viewer),
    role: row.role,
    ...(memberRole && { memberRole: memberRoleToProto(memberRole) }),
    createdTime: timestamp(row.createdAt),
  };
}
