import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { Caller } from "./caller.ts";

/**
 * What a call needs:
 * `public` no token at all; `read` a token with the scope `api` or `read_api`; `write` a token with the scope `api`;
 * `session` a person who signed in, as personal access tokens may not make or revoke others.
 */
export type Need = "public" | "read" | "write" | "session";

/** The one table of permissions: a method without a row is refused to all, and a test says so. */
export const needs: Readonly<Record<string, Need>> = {
  "AccountService.SignIn": "public",
  "AccountService.SignOut": "session",
  "AccountService.GetCurrentUser": "read",
  "AccountService.CreateAccessToken": "session",
  "AccountService.ListAccessTokens": "read",
  "AccountService.RevokeAccessToken": "session",
  "ProjectService.CreateProject": "write",
  "ProjectService.GetProject": "read",
  "ProjectService.ListProjects": "read",
  "ProjectService.UpdateProject": "write",
  "SettingsService.GetSettings": "read",
  "SettingsService.UpdateSettings": "write",
  "ClientKeyService.CreateClientKey": "write",
  "ClientKeyService.ListClientKeys": "read",
  "ClientKeyService.DeleteClientKey": "write",
  "ErrorService.ListErrors": "read",
  "ErrorService.GetError": "read",
  "ErrorService.UpdateErrors": "write",
  "ErrorService.ListEvents": "read",
  "ErrorService.GetEvent": "read",
  "ErrorService.GetErrorStats": "read",
  "ErrorService.WatchErrors": "read",
  "ReleaseService.ListReleases": "read",
  "ReleaseService.GetSessionStats": "read",
  "OutcomeService.ListOutcomes": "read",
  "OutcomeService.WatchRefusals": "read",
  "IngestService.ReportEvents": "write",
  "IngestService.ReportSessions": "write",
};

/** Lets a caller through or refuses with INSUFFICIENT_SCOPE or FORBIDDEN. `method` is `Service.Method`. */
export function authorise(method: string, caller: Caller): void {
  const need = needs[method];
  if (need === undefined) throw new ServiceError(ErrorReason.FORBIDDEN, "Nobody may call this method.");
  if (caller.scopes === "session" || need === "public") return;
  if (need === "session") {
    throw new ServiceError(ErrorReason.FORBIDDEN, "A personal access token may not do this. Sign in to the console.");
  }
  const enough = need === "read" ? ["api", "read_api"] : ["api"];
  if (!caller.scopes.some((scope) => enough.includes(scope))) {
    throw new ServiceError(
      ErrorReason.INSUFFICIENT_SCOPE,
      `The personal access token lacks the scope ${enough[0]}. Make one that has it.`,
    );
  }
}
