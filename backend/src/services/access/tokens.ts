import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** The prefixes of the kinds of tokens, by which secret scanners recognize them. */
const prefixes = { session: "fls_", accessToken: "flp_", invitation: "fli_", passwordReset: "flr_" } as const;

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 36;
const checksumLength = 6;
const madeForm = new RegExp(`^fl[a-z]_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** The most characters of a token, in any format. */
export const maxTokenLength = 1024;

/** A new random token: prefix, 36 characters with 214 bits in total, and a checksum of 6. */
export function newToken(kind: keyof typeof prefixes): string {
  const random = Array.from({ length: randomLength }, () => digits[randomInt(digits.length)]).join("");
  return withChecksum(prefixes[kind] + random);
}

/**
 * Whether a token has the form of `newToken` but a wrong checksum because it was mistyped or guessed. Tokens of any
 * other form (chosen by an operator, issued by an older version) have no checksum.
 */
export function hasWrongChecksum(token: string): boolean {
  return madeForm.test(token) && withChecksum(token.slice(0, -checksumLength)) !== token;
}

/** Whether a token belongs to a session; all others are looked up as personal access tokens. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(prefixes.session);
}

/** The purposes of the keyed digests under which tokens are stored. */
export const sessionPurpose = "session";
export const accessTokenPurpose = "access token";
export const invitationPurpose = "invitation";
export const passwordResetPurpose = "password reset";

/** Appends CRC32 in base62 in the style of GitHub's tokens: a scanner can recognize a real token offline. */
function withChecksum(text: string): string {
  let rest = crc32(text);
  let checksum = "";
  for (let place = 0; place < checksumLength; place++) {
    checksum = digits.charAt(rest % digits.length) + checksum;
    rest = Math.floor(rest / digits.length);
  }
  return text + checksum;
}
