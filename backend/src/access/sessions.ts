import type { SessionRow } from "../database/entities.ts";

/** How long a session lasts that is used again and again. */
export const sessionMs = 30 * 24 * 3_600_000;

/** How long it lasts without being used. An open page that is kept up to date uses it. */
const idleMs = 12 * 3_600_000;

/** When a session ends unless it is used again. */
export function sessionEnd({ expiresAt, lastUsedAt }: Pick<SessionRow, "expiresAt" | "lastUsedAt">): number {
  return Math.min(expiresAt, lastUsedAt + idleMs);
}
