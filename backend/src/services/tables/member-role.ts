import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { MemberRoleSchema, Permission, Role } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

export const MemberRoleEntity = defineEntity({
  name: "MemberRole",
  tableName: "member_role",
  properties: {
    id: p.integer().primary(),
    name: p.string(),
    description: p.string(),
    baseRole: p.integer().$type<Role>(),
    /** Numbers of Permission, joined by spaces. */
    permissions: p.string(),
    createdAt: p.bigint("number"),
  },
});
export type MemberRoleRow = InferEntity<typeof MemberRoleEntity>;

export function memberRoleToProto(row: MemberRoleRow): MessageInitShape<typeof MemberRoleSchema> {
  return {
    memberRoleId: row.id,
    name: row.name,
    description: row.description,
    baseRole: row.baseRole,
    permissions: addedBy(row.permissions),
    createdTime: timestamp(row.createdAt),
  };
}

/** The permissions that a custom role adds, from its row. */
export function addedBy(permissions: string | undefined): Permission[] {
  return permissions ? permissions.split(" ").map((number) => Number(number) as Permission) : [];
}
