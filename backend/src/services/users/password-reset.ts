import { defineEntity, p } from "@mikro-orm/core";

export const PasswordResetEntity = defineEntity({
  name: "PasswordReset",
  tableName: "password_reset",
  properties: {
    userId: p.integer().primary(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number"),
  },
});
