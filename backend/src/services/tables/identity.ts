import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/sql";

export const IdentityEntity = defineEntity({
  name: "Identity",
  tableName: "identity",
  properties: {
    kind: p.string().primary(),
    /** Identifies the identity among all identities of its kind. */
    subject: p.string().primary(),
    userId: p.integer(),
    /** The value that proofs are checked against, such as the hash of a password. */
    verifier: p.string(),
    createdAt: p.bigint("number"),
  },
});
export type IdentityRow = InferEntity<typeof IdentityEntity>;

/** The key of a user's password. A user has at most one, so the id of the user is its subject. */
export const passwordOf = (userId: number) => ({ kind: "password", subject: String(userId) });

/** Stores the hash of a user's password, which replaces an earlier hash. */
export async function setPassword(
  em: EntityManager,
  { userId, verifier, now }: { userId: number; verifier: string; now: number },
): Promise<void> {
  const identity = { ...passwordOf(userId), userId, verifier, createdAt: now };
  await em.upsert(IdentityEntity, identity, { onConflictMergeFields: ["verifier"] });
}

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
