import { invalidField } from "@faultline/plugin";

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
