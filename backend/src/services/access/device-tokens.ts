import { randomBytes, timingSafeEqual } from "node:crypto";
import type { UserRow } from "../users/user.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";

const knownMs = 90 * 24 * 3_600_000;

/** The time of expiry in base 36, a random part, and the proof that we issued it: 62 characters. */
const form = /^fld_([0-9a-z]{1,9})_([0-9a-f]{16})_([0-9a-f]{32})$/;

type Owner = Pick<UserRow, "id" | "passwordHash">;

/**
 * A token by which a device is recognised at the user's next sign-in (OWASP calls it a device cookie). Nothing is stored:
 * the proof is a keyed digest, and as it covers the hash of the password, every token ends with the password.
 */
export function newDeviceToken(keyRing: KeyRing, user: Owner, now: number): string {
  const end = (now + knownMs).toString(36);
  const random = randomBytes(8).toString("hex");
  return `fld_${end}_${random}_${proofOf(keyRing, user, end, random)}`;
}

/** Whether a token was made for this user, with the present password, in the last 90 days. Takes any text. */
export function isDeviceOf(keyRing: KeyRing, user: Owner, token: string, now: number): boolean {
  const [, end = "", random = "", proof = ""] = form.exec(token) ?? [];
  if (proof === "" || parseInt(end, 36) <= now) return false;
  return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(keyRing, user, end, random)));
}

function proofOf(keyRing: KeyRing, { id, passwordHash }: Owner, end: string, random: string): string {
  return keyRing.digest("device", [id, end, random, passwordHash].join("\0")).slice(0, 32);
}
