import { randomBytes, timingSafeEqual } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { SessionSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { IdentityRow } from "../tables/identity.ts";
import { newToken, sessionPurpose } from "./tokens.ts";

export const SessionEntity = defineEntity({
  name: "Session",
  tableName: "session",
  properties: {
    id: p.integer().primary(),
    userId: p.integer(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    /** The latest end; an unused session ends sooner. */
    expiresAt: p.bigint("number"),
    lastUsedAt: p.bigint("number"),
    clientAddress: p.string(),
    userAgent: p.string(),
  },
});
export type SessionRow = InferEntity<typeof SessionEntity>;

/** How long a session in use lasts. */
const sessionMs = 30 * 24 * 3_600_000;

/** How long an unused session lasts. An open page that is kept up to date uses its session. */
const idleMs = 12 * 3_600_000;

/** When a session ends unless it is used again. */
export function sessionEnd({ expiresAt, lastUsedAt }: Pick<SessionRow, "expiresAt" | "lastUsedAt">): number {
  return Math.min(expiresAt, lastUsedAt + idleMs);
}

/** Stores a new session and returns it with its token. Also deletes all expired sessions. */
export async function beginSession(
  em: EntityManager,
  session: {
    keyRing: KeyRing;
    now: number;
    identity: Owner;
    clientAddress: string;
    userAgent: string;
  },
) {
  const { keyRing, now, identity, clientAddress, userAgent } = session;
  const token = newToken("session");
  const expiresAt = now + sessionMs;
  await em.nativeDelete(SessionEntity, {
    $or: [{ expiresAt: { $lte: now } }, { lastUsedAt: { $lte: now - idleMs } }],
  });
  await em.insert(SessionEntity, {
    userId: identity.userId,
    tokenDigest: keyRing.digest(sessionPurpose, token),
    createdAt: now,
    expiresAt,
    lastUsedAt: now,
    clientAddress: clientAddress.slice(0, 64),
    userAgent: userAgent.slice(0, 255),
  });
  return {
    sessionToken: token,
    expiresTime: timestamp(expiresAt),
    deviceToken: newDeviceToken(keyRing, identity, now),
  };
}

const knownMs = 90 * 24 * 3_600_000;

/** The expiry time in base 36, a random part, and the proof that we issued it: 62 characters. */
const form = /^fld_([0-9a-z]{1,9})_([0-9a-f]{16})_([0-9a-f]{32})$/;

/** The identity that a device belongs to. */
type Owner = Pick<IdentityRow, "userId" | "verifier">;

/**
 * A token that recognizes a device at the user's next sign-in (OWASP calls it a device cookie). Nothing is stored: the
 * proof is a keyed digest of the identity's verifier, so a password change invalidates every token.
 */
export function newDeviceToken(keyRing: KeyRing, owner: Owner, now: number): string {
  const end = (now + knownMs).toString(36);
  const random = randomBytes(8).toString("hex");
  return `fld_${end}_${random}_${proofOf(keyRing, owner, end, random)}`;
}

/** Whether a token was made for this identity, with its present verifier, in the last 90 days. Accepts any text. */
export function isDeviceOf(keyRing: KeyRing, owner: Owner, token: string, now: number): boolean {
  const [, end = "", random = "", proof = ""] = form.exec(token) ?? [];
  if (proof === "" || parseInt(end, 36) <= now) return false;
  return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(keyRing, owner, end, random)));
}

function proofOf(keyRing: KeyRing, { userId, verifier }: Owner, end: string, random: string): string {
  return keyRing.digest("device", [userId, end, random, verifier].join("\0")).slice(0, 32);
}

/** `endsAt` is not in the row: see sessionEnd. */
export function sessionToProto(
  row: SessionRow,
  endsAt: number,
  isCurrent: boolean,
): MessageInitShape<typeof SessionSchema> {
  return {
    sessionId: row.id,
    clientAddress: row.clientAddress,
    userAgent: row.userAgent,
    createdTime: timestamp(row.createdAt),
    lastUsedTime: timestamp(row.lastUsedAt),
    expiresTime: timestamp(endsAt),
    isCurrent,
  };
}
