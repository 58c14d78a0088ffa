import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { AccessTokenSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

export const AccessTokenEntity = defineEntity({
  name: "AccessToken",
  tableName: "access_token",
  properties: {
    id: p.integer().primary(),
    userId: p.integer(),
    name: p.string(),
    /** Joined by spaces. */
    scopes: p.string(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number").nullable(),
    lastUsedAt: p.bigint("number").nullable(),
    revokedAt: p.bigint("number").nullable(),
  },
});
export type AccessTokenRow = InferEntity<typeof AccessTokenEntity>;

export function accessTokenToProto(row: AccessTokenRow): MessageInitShape<typeof AccessTokenSchema> {
  return {
    tokenId: row.id,
    name: row.name,
    scopes: row.scopes.split(" "),
    createdTime: timestamp(row.createdAt),
    ...(row.expiresAt != null && { expiresTime: timestamp(row.expiresAt) }),
    ...(row.lastUsedAt != null && { lastUsedTime: timestamp(row.lastUsedAt) }),
    ...(row.revokedAt != null && { revokedTime: timestamp(row.revokedAt) }),
    userId: row.userId,
  };
}
