import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type {
  AcceptInvitationResponse,
  AddMemberResponse,
  ChangePasswordResponse,
  CreateAccessTokenResponse,
  CreateClientKeyResponse,
  CreateInvitationResponse,
  CreateMemberRoleResponse,
  CreatePasswordResetRequest,
  CreateProjectResponse,
  CreateUserResponse,
  DeleteClientKeyResponse,
  DeleteDeadLettersResponse,
  DeleteMemberRoleResponse,
  DeleteProjectResponse,
  DeleteUnstoredEventsResponse,
  DeleteUserResponse,
  EndSessionRequest,
  Member,
  MemberRole,
  RegisterByInvitationResponse,
  RemoveMemberResponse,
  ReplayDeadLettersResponse,
  ReplayUnstoredEventsResponse,
  ResetPasswordResponse,
  RestoreProjectResponse,
  RevokeAccessTokenResponse,
  RevokeInvitationResponse,
  Role,
  RotateAccessTokenRequest,
  RotateAccessTokenResponse,
  SignOutRequest,
  UpdateClientKeyRequest,
  UpdateFiltersRequest,
  UpdateMemberResponse,
  UpdateDefaultQuotaRequest,
  UpdateOwnErrorReportingRequest,
  UpdateProfileRequest,
  UpdateProjectRequest,
  UpdateQuotaRequest,
  UpdateQuotaResponse,
  UpdateSettingsRequest,
  UpdateUserRequest,
  UpdateUserResponse,
  User,
} from "@faultline/proto";
import { roleNames } from "../access/roles.ts";

type Tell = (request: MessageShape<DescMessage>, response: MessageShape<DescMessage>) => string;

/** A sentence about an act, made of its own request and response; never of a secret. */
function act<Request, Response>(tell: (request: Request, response: Response) => string): Tell {
  return (request, response) => tell(request as unknown as Request, response as unknown as Response);
}

/** The administrative acts, by method. Methods that change something and are not here say why in notAudited. */
export const audited: Readonly<Record<string, Tell>> = {
  "AccountService.SignIn": act(() => "Signed in."),
  "AccountService.SignOut": act(({ everywhere }: SignOutRequest) =>
    everywhere ? "Signed out and ended all own sessions." : "Signed out.",
  ),
  "AccountService.UpdateProfile": act(
    (request: UpdateProfileRequest) =>
      `Changed the own profile: ${changed(request, { name: "name", email: "e-mail address" })}.`,
  ),
  "AccountService.ChangePassword": act(
    (_, { revokedTokenCount }: ChangePasswordResponse) => `Changed the own password${andRevoked(revokedTokenCount)}.`,
  ),
  "AccountService.EndSession": act(({ sessionId }: EndSessionRequest) => `Ended the own session ${sessionId}.`),
  "AccountService.CreateAccessToken": act(
    (_, { accessToken }: CreateAccessTokenResponse) =>
      `Made the personal access token ${accessToken?.tokenId}, "${accessToken?.name}", for ${accessToken?.scopes.join(" and ")}.`,
  ),
  "AccountService.RevokeAccessToken": act(
    (_, { accessToken }: RevokeAccessTokenResponse) =>
      `Revoked the personal access token ${accessToken?.tokenId}, "${accessToken?.name}", of user ${accessToken?.userId}.`,
  ),
  "AccountService.RotateAccessToken": act(
    ({ tokenId }: RotateAccessTokenRequest, { accessToken }: RotateAccessTokenResponse) =>
      `Replaced the personal access token ${tokenId || "of the call"} by ${accessToken?.tokenId}, "${accessToken?.name}".`,
  ),

  "UserService.CreateUser": act(
    (_, { user }: CreateUserResponse) => `Made the ${user?.isAdmin ? "administrator" : "user"} ${named(user)}.`,
  ),
  "UserService.UpdateUser": act((request: UpdateUserRequest, { user }: UpdateUserResponse) => {
    const fields = changed(request, { username: "user name", name: "name", email: "e-mail address" });
    const rights = [
      request.isAdmin !== undefined && (request.isAdmin ? "made an administrator" : "made a normal user"),
      request.isBlocked !== undefined && (request.isBlocked ? "blocked" : "unblocked"),
    ].filter((part) => part !== false);
    return `Changed the user ${named(user)}: ${[...(fields === "nothing" ? [] : [fields]), ...rights].join(", ") || fields}.`;
  }),
  "UserService.DeleteUser": act((_, { user }: DeleteUserResponse) => `Deleted the user ${named(user)}.`),
  "UserService.CreatePasswordReset": act(
    ({ userId }: CreatePasswordResetRequest) => `Made a password link for user ${userId}.`,
  ),
  "UserService.ResetPassword": act(
    (_, { revokedTokenCount }: ResetPasswordResponse) =>
      `Set the own password by a link${andRevoked(revokedTokenCount)}.`,
  ),

  "MemberService.AddMember": act((_, { member }: AddMemberResponse) => `Added ${asMember(member)}.`),
  "MemberService.UpdateMember": act((_, { member }: UpdateMemberResponse) => `Made ${asMember(member)}.`),
  "MemberService.RemoveMember": act(
    (_, { member }: RemoveMemberResponse) => `Removed the member ${named(member?.user)}.`,
  ),
  "MemberService.CreateInvitation": act(
    (_, { invitation }: CreateInvitationResponse) =>
      `Made the invitation ${invitation?.invitationId} as ${roleName(invitation)}.`,
  ),
  "MemberService.RevokeInvitation": act(
    (_, { invitation }: RevokeInvitationResponse) =>
      `Took back the invitation ${invitation?.invitationId} as ${roleName(invitation)}.`,
  ),
  "MemberService.AcceptInvitation": act(
    (_, { member }: AcceptInvitationResponse) => `Joined by an invitation as ${roleName(member)}.`,
  ),
  "MemberService.RegisterByInvitation": act(
    (_, { user }: RegisterByInvitationResponse) => `Made the own account ${named(user)} by an invitation and joined.`,
  ),
  "MemberRoleService.CreateMemberRole": act(
    (_, { memberRole }: CreateMemberRoleResponse) => `Made the custom role ${roleName({ memberRole })}.`,
  ),
  "MemberRoleService.DeleteMemberRole": act(
    (_, { memberRole }: DeleteMemberRoleResponse) => `Deleted the custom role ${roleName({ memberRole })}.`,
  ),

  "ProjectService.CreateProject": act(
    (_, { project }: CreateProjectResponse) => `Made the project ${project?.path} (${project?.projectId}).`,
  ),
  "ProjectService.UpdateProject": act(
    (request: UpdateProjectRequest) =>
      `Changed the project: ${changed(request, {
        name: "name",
        path: "path",
        monitorEnabled: "Monitor feature",
        codeUrl: "link to the code",
        codeRoot: "source root",
      })}.`,
  ),
  "ProjectService.DeleteProject": act(
    (_, { project }: DeleteProjectResponse) => `Deleted the project ${project?.path} (${project?.projectId}).`,
  ),
  "ProjectService.RestoreProject": act(
    (_, { project }: RestoreProjectResponse) => `Restored the project ${project?.path} (${project?.projectId}).`,
  ),
  "SettingsService.UpdateSettings": act(
    (request: UpdateSettingsRequest) =>
      `Changed the error-tracking settings: ${changed(request, {
        active: "active",
        backend: "backend",
        externalApiUrl: "external API URL",
        externalAuthToken: "external auth token",
        externalProject: "external project",
      })}.`,
  ),
  "FilterService.UpdateFilters": act(
    (request: UpdateFiltersRequest) =>
      `Changed the inbound filters: ${changed(request, {
        addresses: "addresses",
        releases: "releases",
        environments: "environments",
        messages: "messages",
        types: "exception types",
        webCrawlers: "web crawlers",
        oldBrowsers: "old browsers",
        browserExtensions: "browser extensions",
        localhost: "localhost",
        spikeProtection: "spike protection",
      })}.`,
  ),
  "QuotaService.UpdateQuota": act(
    (request: UpdateQuotaRequest, { quota }: UpdateQuotaResponse) =>
      `Changed the limits of ${quota?.projectPath} (${quota?.projectId}): ${limitChanges([
        ["bytes a day", request.dayLimitBytes, request.useDefaultDayLimit],
        ["bytes kept", request.keptLimitBytes, request.useDefaultKeptLimit],
      ])}.`,
  ),
  "QuotaService.UpdateDefaultQuota": act(
    (request: UpdateDefaultQuotaRequest) =>
      `Changed the limits of all projects without their own: ${limitChanges([
        ["bytes a day", request.dayLimitBytes, request.resetDayLimit],
        ["bytes kept", request.keptLimitBytes, request.resetKeptLimit],
      ])}.`,
  ),
  "ClientKeyService.CreateClientKey": act(
    (_, { clientKey }: CreateClientKeyResponse) => `Made the client key ${clientKey?.keyId}.`,
  ),
  "ClientKeyService.UpdateClientKey": act((request: UpdateClientKeyRequest) => {
    const state = request.active === undefined ? "" : request.active ? "enabled" : "disabled";
    const fields = changed(request, {
      eventsPerMinute: "limit a minute",
      eventsPerDay: "limit a day",
      allowedOrigins: "allowed origins",
    });
    const parts = [state, fields === "nothing" ? "" : fields].filter((part) => part !== "");
    return `Changed the client key ${request.keyId}: ${parts.join(", ") || fields}.`;
  }),
  "ClientKeyService.DeleteClientKey": act(
    (_, { clientKey }: DeleteClientKeyResponse) => `Deleted the client key ${clientKey?.keyId}.`,
  ),

  "InstanceService.UpdateOwnErrorReporting": act(
    (request: UpdateOwnErrorReportingRequest) =>
      `Changed the reporting of own failures: ${changed(request, {
        enabled: "whether it is on",
        dsn: "DSN",
        projectId: "project",
        environment: "environment",
        externalVersion: "version of the external system",
      })}.`,
  ),
  "InstanceService.RotateEncryptionKey": act(() => "Made a new encryption key."),
  "InstanceService.ReplayDeadLetters": act(
    (_, { acceptedCount, failedCount }: ReplayDeadLettersResponse) =>
      `Tried dead letters again: ${acceptedCount} went to the queue again, ${failedCount} are unreadable.`,
  ),
  "InstanceService.DeleteDeadLetters": act(
    (_, { deletedCount }: DeleteDeadLettersResponse) => `Deleted ${deletedCount} dead letters.`,
  ),
  "IngestService.ReplayUnstoredEvents": act(
    (_, { storedCount, failedCount, acceptedCount }: ReplayUnstoredEventsResponse) =>
      `Tried events again that could not be stored: ${storedCount} were stored, ${failedCount} were not, ${acceptedCount} went to the queue again.`,
  ),
  "IngestService.DeleteUnstoredEvents": act(
    (_, { deletedCount }: DeleteUnstoredEventsResponse) => `Deleted ${deletedCount} events that could not be stored.`,
  ),
};

/** Methods that change something and are no administrative act, with the reason. */
export const notAudited: Readonly<Record<string, string>> = {
  "ErrorService.UpdateErrors": "the daily work of every developer; an error tells when its status changed",
  "IngestService.ReportEvents": "events are the data itself, thousands a second",
  "IngestService.ReportSessions": "sessions are the data itself, as events are",
};

/** Limits that were changed, in words. */
function limitChanges(
  limits: readonly (readonly [name: string, bytes: bigint | undefined, isReset: boolean])[],
): string {
  return limits
    .filter(([, bytes, isReset]) => bytes !== undefined || isReset)
    .map(
      ([name, bytes]) => `${name} ${bytes === undefined ? "as by default" : bytes === 0n ? "without a limit" : bytes}`,
    )
    .join(", ");
}

/** The fields that a request carries, in words. */
function changed<Request>(request: Request, words: { readonly [K in keyof Request]?: string }): string {
  const fields = Object.keys(words) as (keyof Request)[];
  return (
    fields
      .filter((field) => request[field] !== undefined)
      .map((field) => words[field])
      .join(", ") || "nothing"
  );
}

function andRevoked(tokenCount: number): string {
  if (tokenCount === 0) return "";
  return ` and revoked ${tokenCount} personal access ${tokenCount === 1 ? "token" : "tokens"}`;
}

function named(user: User | undefined): string {
  return `${user?.username} (${user?.userId})`;
}

function asMember(member: Member | undefined): string {
  return `${named(member?.user)} as ${roleName(member)}`;
}

function roleName(given: { role?: Role; memberRole?: MemberRole | undefined } | undefined): string {
  return given?.memberRole ? `"${given.memberRole.name}"` : (roleNames.get(given?.role ?? 0) ?? "no role");
}
