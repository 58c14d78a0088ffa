import { invalidField } from "@faultline/plugin";

/** The context in which a project's token for the external system is encrypted, see KeyRing.encrypt. */
export const externalTokenPlace = (projectId: number) => `settings:${projectId}:external_auth_token`;

/**
 * Whether this stands for the stored token: the original's settings page sends asterisks for a token that was not typed
 * again.
 */
export const isMaskedToken = (token: string) => /^\*+$/.test(token);

/** Refuses a token that is too long or cannot be part of a header. */
export function checkExternalToken(token: string): void {
  if (token.length > 1024) {
    throw invalidField("external_auth_token", "An auth token has at most 1,024 characters.");
  }
  if (!/^[\x21-\x7e]*$/.test(token)) {
    throw invalidField("external_auth_token", "An auth token has letters, digits and signs, but no spaces.");
  }
}
