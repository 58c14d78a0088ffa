import { randomBytes } from "node:crypto";

/** Lets scanners of leaked secrets recognise a key. Of word characters alone, as some SDKs read no other in a DSN. */
const prefix = "flck_";

/** Keys made before there was a prefix go on. */
const form = /^(?:flck_)?[0-9a-f]{32}$/;

/** A new random public key, of 128 bits. */
export function newPublicKey(): string {
  return prefix + randomBytes(16).toString("hex");
}

/** Whether a text may be a public key; all else need not be looked up. */
export function isPublicKey(text: string): boolean {
  return form.test(text);
}
