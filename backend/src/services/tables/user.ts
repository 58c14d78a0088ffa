import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { UserSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

export const UserEntity = defineEntity({
  name: "User",
  tableName: "user",
  properties: {
    id: p.integer().primary(),
    username: p.string(),
    name: p.string(),
    /**
     * Only read by the previous release: triggers keep it equal to the verifier of the password. The next release drops
     * it.
     */
    passwordHash: p
      .string()
      .lazy()
      .onCreate(() => ""),
    isAdmin: p.boolean(),
    createdAt: p.bigint("number"),
    /** Empty if there is none. */
    email: p.string().default(""),
    /** The address known to be the user's: an administrator set it, or its owner confirmed it. */
    confirmedEmail: p.string().default(""),
    isBlocked: p.boolean().default(false),
    lastSignInAt: p.bigint("number").nullable(),
  },
});
export type UserRow = InferEntity<typeof UserEntity>;

/** Whether the address in use is known to be the user's. */
const isEmailConfirmed = ({ email, confirmedEmail }: UserRow) => email !== "" && email === confirmedEmail;

/** `viewer` is the person who sees it: administrators and the user see more than others. */
export function userToProto(
  row: UserRow,
  viewer: Pick<UserRow, "id" | "isAdmin">,
): MessageInitShape<typeof UserSchema> {
  const seesAll = viewer.isAdmin || viewer.id === row.id;
  return {
    userId: row.id,
    username: row.username,
    name: row.name,
    isAdmin: row.isAdmin,
    isBlocked: row.isBlocked,
    createdTime: timestamp(row.createdAt),
    ...(seesAll && { email: row.email, isEmailConfirmed: isEmailConfirmed(row) }),
    ...(seesAll && row.lastSignInAt != null && { lastSignInTime: timestamp(row.lastSignInAt) }),
  };
}
