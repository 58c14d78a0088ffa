import { timestamp } from "@faultline/plugin";
import type { EntityManager } from "@mikro-orm/sql";
import type { UserRow } from "../users/user.ts";
import { SessionEntity, type SessionRow } from "./session.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { newDeviceToken } from "./device-tokens.ts";
import { newToken, sessionPurpose } from "./tokens.ts";

/** How long a session lasts that stays in use. */
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
    user: Pick<UserRow, "id" | "passwordHash">;
    clientAddress: string;
    userAgent: string;
  },
) {
  const { keyRing, now, user, clientAddress, userAgent } = session;
  const token = newToken("session");
  const expiresAt = now + sessionMs;
  await em.nativeDelete(SessionEntity, {
    $or: [{ expiresAt: { $lte: now } }, { lastUsedAt: { $lte: now - idleMs } }],
  });
  await em.insert(SessionEntity, {
    userId: user.id,
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
    deviceToken: newDeviceToken(keyRing, user, now),
  };
}
