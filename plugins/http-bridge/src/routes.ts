import { EventPosition } from "@faultline/proto";
import { alive, health, ready } from "./health.ts";
import { receiveEnvelope, receivePixel, receiveSecurityReports, receiveStore } from "./ingest/endpoints.ts";
import { ingestion } from "./ingest/ingestion.ts";
import { documentRoutes } from "./rest/openapi/document-routes.ts";
import {
  getAccessToken,
  listAccessTokens,
  revokeAccessToken,
  rotateAccessToken,
} from "./rest/resources/access-tokens.ts";
import { listAuditEvents } from "./rest/resources/audit-events.ts";
import {
  createClientKey,
  deleteClientKey,
  getClientKey,
  getClientKeyTraffic,
  listClientKeys,
  updateClientKey,
} from "./rest/resources/client-keys.ts";
import { listDeprecations } from "./rest/resources/deprecations.ts";
import { getError, getErrorStats, listErrors, updateError, updateErrors } from "./rest/resources/errors.ts";
import { getEvent, getEventAt, getEventPayload, listEvents } from "./rest/resources/events.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./rest/resources/invitations.ts";
import { createMemberRole, deleteMemberRole, listMemberRoles } from "./rest/resources/member-roles.ts";
import { addMember, getMember, listMembers, removeMember, updateMember } from "./rest/resources/members.ts";
import { getMetadata } from "./rest/resources/metadata.ts";
import { listOutcomes } from "./rest/resources/outcomes.ts";
import { getOwnErrorReporting, updateOwnErrorReporting } from "./rest/resources/own-error-reporting.ts";
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  restoreProject,
  updateProject,
} from "./rest/resources/projects.ts";
import { getDefaultQuota, getQuota, listQuotas, updateDefaultQuota, updateQuota } from "./rest/resources/quotas.ts";
import { getSessionStats, listReleases } from "./rest/resources/releases.ts";
import { getFilters, patchFilters } from "./rest/resources/filters.ts";
import { getSettings, patchSettings, putSettings } from "./rest/resources/settings.ts";
import {
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  setBlocked,
  updateUser,
} from "./rest/resources/users.ts";
import { as, rest, unknownRoutes } from "./rest/rest.ts";
import { signingKeys } from "./signing-keys.ts";
import type { Route } from "./visit.ts";

const store = { POST: receiveStore, GET: receivePixel };
const envelope = { POST: receiveEnvelope };
const security = { POST: receiveSecurityReports };

/**
 * The paths of DSNs before the project (protocol reference, section 1): ours, and the two that DSNs of the original have.
 * SDKs put `/api` behind them.
 */
const dsnPaths = ["", "/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"];

/**
 * What SDKs and REST clients call; what plugins serve comes after them, and all other paths are the console's. A trailing
 * slash is never redirected.
 */
export const doors: readonly Route[] = [
  // SDK ingestion
  ...dsnPaths.flatMap((path) => [
    ingestion(`${path}/api/:project/store`, "error", store),
    ingestion(`${path}/api/:project/envelope`, "default", envelope),
    ingestion(`${path}/api/:project/security`, "security", security),
    ingestion(`${path}/api/:project/csp-report`, "security", security),
  ]),
  ingestion("/api/store", "error", store), // the project is the key's own

  // REST (specification 4.1 and 9.1): error tracking
  rest("/api/v4/projects/:project/error_tracking/client_keys", {
    GET: as("ClientKeyService.ListClientKeys", listClientKeys),
    POST: as("ClientKeyService.CreateClientKey", createClientKey),
  }),
  rest("/api/v4/projects/:project/error_tracking/client_keys/:key_id", {
    GET: as("ClientKeyService.GetClientKey", getClientKey),
    PUT: as("ClientKeyService.UpdateClientKey", updateClientKey),
    DELETE: as("ClientKeyService.DeleteClientKey", deleteClientKey),
  }),
  rest("/api/v4/projects/:project/error_tracking/client_keys/:key_id/traffic", {
    GET: as("ClientKeyService.GetClientKeyTraffic", getClientKeyTraffic),
  }),
  rest("/api/v4/projects/:project/error_tracking/settings", {
    GET: as("SettingsService.GetSettings", getSettings),
    PUT: as("SettingsService.UpdateSettings", putSettings),
    PATCH: as("SettingsService.UpdateSettings", patchSettings),
  }),
  rest("/api/v4/projects/:project/error_tracking/filters", {
    GET: as("FilterService.GetFilters", getFilters),
    PATCH: as("FilterService.UpdateFilters", patchFilters),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors", { GET: as("ErrorService.ListErrors", listErrors) }),
  rest("/api/v4/projects/:project/error_tracking/errors/bulk", {
    POST: as("ErrorService.UpdateErrors", updateErrors),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors/:error_id", {
    GET: as("ErrorService.GetError", getError),
    PUT: as("ErrorService.UpdateErrors", updateError),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors/:error_id/stats", {
    GET: as("ErrorService.GetErrorStats", getErrorStats),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors/:error_id/events", {
    GET: as("ErrorService.ListEvents", listEvents),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors/:error_id/events/latest", {
    GET: as("ErrorService.GetEvent", getEventAt(EventPosition.NEWEST)),
  }),
  rest("/api/v4/projects/:project/error_tracking/errors/:error_id/events/oldest", {
    GET: as("ErrorService.GetEvent", getEventAt(EventPosition.OLDEST)),
  }),
  rest("/api/v4/projects/:project/error_tracking/events/:event_id", { GET: as("ErrorService.GetEvent", getEvent) }),
  rest("/api/v4/projects/:project/error_tracking/events/:event_id/payload", {
    GET: as("ErrorService.GetEvent", getEventPayload),
  }),
  rest("/api/v4/projects/:project/error_tracking/releases", { GET: as("ReleaseService.ListReleases", listReleases) }),
  rest("/api/v4/projects/:project/error_tracking/releases/:version/sessions", {
    GET: as("ReleaseService.GetSessionStats", getSessionStats),
  }),
  rest("/api/v4/projects/:project/error_tracking/outcomes", { GET: as("OutcomeService.ListOutcomes", listOutcomes) }),
  rest("/api/v4/projects/:project/error_tracking/quota", {
    GET: as("QuotaService.GetQuota", getQuota),
    PUT: as("QuotaService.UpdateQuota", updateQuota),
  }),

  // REST: projects and who may see them
  rest("/api/v4/projects", {
    GET: as("ProjectService.ListProjects", listProjects),
    POST: as("ProjectService.CreateProject", createProject),
  }),
  rest("/api/v4/projects/:project", {
    GET: as("ProjectService.GetProject", getProject),
    PUT: as("ProjectService.UpdateProject", updateProject),
    DELETE: as("ProjectService.DeleteProject", deleteProject),
  }),
  rest("/api/v4/projects/:deleted_project/restore", { POST: as("ProjectService.RestoreProject", restoreProject) }),
  rest("/api/v4/projects/:project/members", {
    GET: as("MemberService.ListMembers", listMembers),
    POST: as("MemberService.AddMember", addMember),
  }),
  // The original lists inherited members here as well; a project of ours has no group to inherit from.
  rest("/api/v4/projects/:project/members/all", { GET: as("MemberService.ListMembers", listMembers) }),
  rest("/api/v4/projects/:project/members/all/:user_id", { GET: as("MemberService.GetMember", getMember) }),
  rest("/api/v4/projects/:project/members/:user_id", {
    GET: as("MemberService.GetMember", getMember),
    PUT: as("MemberService.UpdateMember", updateMember),
    DELETE: as("MemberService.RemoveMember", removeMember),
  }),
  rest("/api/v4/projects/:project/invitations", {
    GET: as("MemberService.ListInvitations", listInvitations),
    POST: as("MemberService.CreateInvitation", createInvitation),
  }),
  rest("/api/v4/projects/:project/invitations/:invitation_id", {
    DELETE: as("MemberService.RevokeInvitation", revokeInvitation),
  }),
  rest("/api/v4/member_roles", {
    GET: as("MemberRoleService.ListMemberRoles", listMemberRoles),
    POST: as("MemberRoleService.CreateMemberRole", createMemberRole),
  }),
  rest("/api/v4/member_roles/:member_role_id", {
    DELETE: as("MemberRoleService.DeleteMemberRole", deleteMemberRole),
  }),

  // REST: users and their tokens
  rest("/api/v4/user", { GET: as("AccountService.GetCurrentUser", getCurrentUser) }),
  rest("/api/v4/users", {
    GET: as("UserService.ListUsers", listUsers),
    POST: as("UserService.CreateUser", createUser),
  }),
  rest("/api/v4/users/:user_id", {
    GET: as("UserService.GetUser", getUser),
    PUT: as("UserService.UpdateUser", updateUser),
    DELETE: as("UserService.DeleteUser", deleteUser),
  }),
  rest("/api/v4/users/:user_id/block", { POST: as("UserService.UpdateUser", setBlocked(true)) }),
  rest("/api/v4/users/:user_id/unblock", { POST: as("UserService.UpdateUser", setBlocked(false)) }),
  rest("/api/v4/personal_access_tokens", { GET: as("AccountService.ListAccessTokens", listAccessTokens) }),
  rest("/api/v4/personal_access_tokens/self", {
    GET: as("AccountService.GetAccessToken", getAccessToken),
    DELETE: as("AccountService.RevokeAccessToken", revokeAccessToken),
  }),
  rest("/api/v4/personal_access_tokens/self/rotate", {
    POST: as("AccountService.RotateAccessToken", rotateAccessToken),
  }),
  rest("/api/v4/personal_access_tokens/:token_id", {
    GET: as("AccountService.GetAccessToken", getAccessToken),
    DELETE: as("AccountService.RevokeAccessToken", revokeAccessToken),
  }),
  rest("/api/v4/personal_access_tokens/:token_id/rotate", {
    POST: as("AccountService.RotateAccessToken", rotateAccessToken),
  }),

  // REST: the installation
  rest("/api/v4/metadata", { GET: as("InstanceService.GetInstance", getMetadata) }),
  rest("/api/v4/version", { GET: as("InstanceService.GetInstance", getMetadata) }),
  rest("/api/v4/audit_events", { GET: as("AuditService.ListAuditEvents", listAuditEvents) }),
  rest("/api/v4/application/error_reporting", {
    GET: as("InstanceService.GetOwnErrorReporting", getOwnErrorReporting),
    PUT: as("InstanceService.UpdateOwnErrorReporting", updateOwnErrorReporting),
  }),
  rest("/api/v4/application/quotas", { GET: as("QuotaService.ListQuotas", listQuotas) }),
  rest("/api/v4/application/default_quota", {
    GET: as("QuotaService.GetDefaultQuota", getDefaultQuota),
    PUT: as("QuotaService.UpdateDefaultQuota", updateDefaultQuota),
  }),

  rest("/api/v4/deprecations", { GET: as("DeprecationService.ListDeprecations", listDeprecations) }),
  ...documentRoutes,
  signingKeys,
];

/** Every process answers these. */
export const healthRoutes: readonly Route[] = [health("/-/health", alive), health("/-/readiness", ready)];

/** Addresses that are nobody's and not the console's either. */
export const unknown: readonly Route[] = [
  unknownRoutes("/api"),
  unknownRoutes("/errortracking/api"),
  unknownRoutes("/-/jwks"), // an address of the platform that was removed (specification 9.3)
];
