import { invalidField } from "@faultline/plugin";

/** Where a project's token for the external system is encrypted for, see KeyRing.encrypt. */
export const externalTokenPlace = (projectId: number) => `settings:${projectId}:external_auth_token`;

/** Refuses a token that is too long. */
export function checkExternalToken(token: string): void {
  if (token.length > 1024) {
    throw invalidField("external_auth_token", "An auth token has at most 1,024 characters.");
  }
}
