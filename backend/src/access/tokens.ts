import { randomBytes } from "node:crypto";

/** Kinds of tokens by their prefix, which lets scanners of leaked secrets recognise them. */
const prefixes = { session: "fls_", accessToken: "flp_" } as const;

/** A new random token of 240 bits. */
export function newToken(kind: keyof typeof prefixes): string {
  return prefixes[kind] + randomBytes(30).toString("base64url");
}

/** Whether a token is a session's; all else is looked up as a personal access token. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(prefixes.session);
}

/** The purposes of the keyed digests under which tokens are stored. */
export const sessionPurpose = "session";
export const accessTokenPurpose = "access token";
