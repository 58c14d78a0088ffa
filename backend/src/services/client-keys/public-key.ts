import { randomBytes } from "node:crypto";

/** Lets secret scanners recognise a key. Word characters only, as some SDKs accept no others in a DSN. */
const prefix = "flck_";

/** Keys created before there was a prefix remain valid. */
const form = /^(?:flck_)?[0-9a-f]{32}$/;

/** A new random public key, of 128 bits. */
export function newPublicKey(): string {
  return prefix + randomBytes(16).toString("hex");
}

/** Whether a text may be a public key; other texts need no lookup. */
export function isPublicKey(text: string): boolean {
  return form.test(text);
}
