import { ServiceError } from "@faultline/plugin";
import { ErrorReason, Permission } from "@faultline/proto";
import type { Caller } from "./caller.ts";
import type { Grant } from "./grants.ts";
import { needsRole } from "./roles.ts";

/**
 * What a token must be good for: `read` the scope `api` or `read_api`; `write` the scope `api`; `session` a person who
 * signed in, as personal access tokens may not make others.
 */
export type Scope = "read" | "write" | "session";

/** What a call needs. */
export type Need =
  | { readonly who: "anyone" }
  | { readonly who: "user" | "administrator"; readonly scope: Scope }
  | {
      readonly who: "member";
      readonly scope: Scope;
      readonly permission: Permission;
      /** The user the request names may do it too. */
      readonly orSelf?: boolean;
      /**
       * The answer holds client keys, which only a token with the scope `write` sees: a key lets its holder send events, so
       * a token for reading would otherwise be one for writing.
       */
      readonly holdsKeys?: true;
    };

const anyone: Need = { who: "anyone" };
const user = (scope: Scope): Need => ({ who: "user", scope });
const administrator = (scope: Scope): Need => ({ who: "administrator", scope });
const member = (scope: Scope, permission: Permission) => ({ who: "member", scope, permission }) as const;
const holdingKeys = (scope: Scope): Need => ({ ...member(scope, Permission.ADMIN_ERROR_TRACKING), holdsKeys: true });

/**
 * The one table of permissions. REST routes and tRPC procedures name the method they call, so its row is theirs; a
 * method without a row is refused to all, and a test says so. docs/permissions.md prints it.
 */
export const needs: Readonly<Record<string, Need>> = {
  "AccountService.SignIn": anyone,
  "AccountService.SignOut": user("session"),
  "AccountService.GetCurrentUser": user("read"),
  "AccountService.UpdateProfile": user("session"),
  "AccountService.ChangePassword": user("session"),
  "AccountService.ListSessions": user("session"),
  "AccountService.EndSession": user("session"),
  "AccountService.CreateAccessToken": user("session"),
  "AccountService.GetAccessToken": user("read"),
  "AccountService.ListAccessTokens": user("read"),
  "AccountService.RevokeAccessToken": user("write"),
  "AccountService.RotateAccessToken": user("write"),

  "UserService.ListUsers": user("read"),
  "UserService.GetUser": user("read"),
  "UserService.CreateUser": administrator("write"),
  "UserService.UpdateUser": administrator("write"),
  "UserService.DeleteUser": administrator("write"),
  "UserService.CreatePasswordReset": administrator("session"),
  "UserService.GetPasswordReset": anyone, // the link is the proof
  "UserService.ResetPassword": anyone,

  "MemberService.ListMembers": member("read", Permission.READ_MEMBERS),
  "MemberService.GetMember": member("read", Permission.READ_MEMBERS),
  "MemberService.AddMember": member("write", Permission.ADMIN_MEMBERS),
  "MemberService.UpdateMember": member("write", Permission.ADMIN_MEMBERS),
  "MemberService.RemoveMember": { ...member("write", Permission.ADMIN_MEMBERS), orSelf: true },
  "MemberService.CreateInvitation": member("write", Permission.ADMIN_MEMBERS),
  "MemberService.ListInvitations": member("read", Permission.ADMIN_MEMBERS),
  "MemberService.RevokeInvitation": member("write", Permission.ADMIN_MEMBERS),
  "MemberService.GetInvitation": anyone, // the link is the proof
  "MemberService.AcceptInvitation": user("session"),
  "MemberService.RegisterByInvitation": anyone,

  "MemberRoleService.ListMemberRoles": user("read"),
  "MemberRoleService.CreateMemberRole": administrator("write"),
  "MemberRoleService.DeleteMemberRole": administrator("write"),

  "ProjectService.CreateProject": user("write"),
  "ProjectService.GetProject": member("read", Permission.READ_PROJECT),
  "ProjectService.ListProjects": user("read"), // lists what the caller may see
  "ProjectService.UpdateProject": member("write", Permission.ADMIN_PROJECT),
  "ProjectService.DeleteProject": member("write", Permission.REMOVE_PROJECT),
  "ProjectService.RestoreProject": administrator("write"),
  "ProjectService.ListDeletedProjects": administrator("read"),

  "SettingsService.GetSettings": holdingKeys("read"),
  "SettingsService.UpdateSettings": holdingKeys("write"),
  "SettingsService.ListExternalProjects": member("write", Permission.ADMIN_ERROR_TRACKING),

  "FilterService.GetFilters": member("read", Permission.ADMIN_ERROR_TRACKING),
  "FilterService.UpdateFilters": member("write", Permission.ADMIN_ERROR_TRACKING),

  "QuotaService.GetQuota": member("read", Permission.READ_ERROR_TRACKING),
  "QuotaService.UpdateQuota": administrator("write"),
  "QuotaService.ListQuotas": administrator("read"),
  "QuotaService.GetDefaultQuota": administrator("read"),
  "QuotaService.UpdateDefaultQuota": administrator("write"),

  "ClientKeyService.CreateClientKey": holdingKeys("write"),
  "ClientKeyService.ListClientKeys": holdingKeys("read"),
  "ClientKeyService.GetClientKey": holdingKeys("read"),
  "ClientKeyService.UpdateClientKey": holdingKeys("write"),
  "ClientKeyService.GetClientKeyTraffic": member("read", Permission.ADMIN_ERROR_TRACKING),
  "ClientKeyService.DeleteClientKey": holdingKeys("write"),

  "ErrorService.ListErrors": member("read", Permission.READ_ERROR_TRACKING),
  "ErrorService.ListAllErrors": user("read"), // lists what the caller may read
  "ErrorService.GetErrorProject": user("read"), // finds what the caller may read
  "ErrorService.GetError": member("read", Permission.READ_ERROR_TRACKING),
  "ErrorService.UpdateErrors": member("write", Permission.UPDATE_ERROR_TRACKING),
  "ErrorService.ListEvents": member("read", Permission.READ_ERROR_TRACKING),
  "ErrorService.GetEvent": member("read", Permission.READ_ERROR_TRACKING),
  "ErrorService.GetErrorStats": member("read", Permission.READ_ERROR_TRACKING),
  "ErrorService.WatchErrors": member("read", Permission.READ_ERROR_TRACKING),
  "ReleaseService.ListReleases": member("read", Permission.READ_ERROR_TRACKING),
  "ReleaseService.GetSessionStats": member("read", Permission.READ_ERROR_TRACKING),
  "OutcomeService.ListOutcomes": member("read", Permission.READ_ERROR_TRACKING),
  "OutcomeService.WatchRefusals": member("read", Permission.READ_ERROR_TRACKING),
  "IngestService.ReportEvents": member("write", Permission.REPORT_EVENTS),
  "IngestService.ReportSessions": member("write", Permission.REPORT_EVENTS),

  "IngestService.ListUnstoredEvents": member("read", Permission.READ_ERROR_TRACKING),
  "IngestService.ReplayUnstoredEvents": member("write", Permission.UPDATE_ERROR_TRACKING),
  "IngestService.DeleteUnstoredEvents": member("write", Permission.ADMIN_ERROR_TRACKING),

  "AuditService.ListAuditEvents": administrator("read"),
  "InstanceService.GetInstance": user("read"),
  "InstanceService.GetHealth": administrator("read"),
  "InstanceService.GetOwnErrorReporting": administrator("read"),
  "InstanceService.UpdateOwnErrorReporting": administrator("write"),
  "InstanceService.RotateEncryptionKey": administrator("write"),
  "InstanceService.GetIngestLag": user("read"),
  "InstanceService.ListDeadLetters": administrator("read"),
  "InstanceService.ReplayDeadLetters": administrator("write"),
  "InstanceService.DeleteDeadLetters": administrator("write"),
  "DeprecationService.ListDeprecations": user("read"),
};

/** What a method needs. `method` is `Service.Method`; without a row nobody may call it. */
export function needOf(method: string): Need {
  const need = Object.hasOwn(needs, method) ? needs[method] : undefined;
  if (need === undefined) throw new ServiceError(ErrorReason.FORBIDDEN, "Nobody may call this method.");
  return need;
}

/** Lets a caller's token through or refuses with INSUFFICIENT_SCOPE or FORBIDDEN; roles in projects come after it. */
export function checkToken(need: Exclude<Need, { who: "anyone" }>, caller: Caller): void {
  if (caller.scopes !== "session") {
    if (need.scope === "session") {
      throw new ServiceError(ErrorReason.FORBIDDEN, "A personal access token may not do this. Sign in to the console.");
    }
    if (!isGoodFor(need.scope, caller.scopes)) {
      throw new ServiceError(
        ErrorReason.INSUFFICIENT_SCOPE,
        "The personal access token lacks the scope api. Make one that has it.",
      );
    }
  }
  if (need.who === "administrator" && !caller.user.isAdmin) {
    throw new ServiceError(ErrorReason.FORBIDDEN, "Only administrators may do this.");
  }
}

/** Whether the answer may show client keys and DSNs to the caller. */
export function seesKeys(need: Need, { scopes }: Caller): boolean {
  return need.who === "member" && need.holdsKeys === true && (scopes === "session" || isGoodFor("write", scopes));
}

function isGoodFor(scope: "read" | "write", scopes: readonly string[]): boolean {
  return scopes.includes("api") || (scope === "read" && scopes.includes("read_api"));
}

/** Lets a member through or refuses with FORBIDDEN and the role that is needed. */
export function checkGrant(need: Extract<Need, { who: "member" }>, grant: Grant, isSelf: boolean): void {
  if (grant.permissions.has(need.permission) || (need.orSelf === true && isSelf)) return;
  throw new ServiceError(ErrorReason.FORBIDDEN, needsRole(need.permission, grant.project.path));
}
