import type { RestOperation } from "@faultline/plugin/rest";
import {
  getAccessToken,
  getOwnAccessToken,
  listAccessTokens,
  revokeAccessToken,
  revokeOwnAccessToken,
  rotateAccessToken,
  rotateOwnAccessToken,
} from "./operations/access-tokens.ts";
import { listAuditEvents } from "./operations/audit-events.ts";
import {
  createClientKey,
  deleteClientKey,
  getClientKey,
  getClientKeyTraffic,
  listClientKeys,
  updateClientKey,
} from "./operations/client-keys.ts";
import { createDeletion, deleteError, getDeletion, listDeletions, undoDeletion } from "./operations/deletions.ts";
import { endDiscard, listDiscards } from "./operations/discards.ts";
import { getErrorBreakdown } from "./operations/breakdown.ts";
import { getError, getErrorStats, listErrors, updateError, updateErrors } from "./operations/errors.ts";
import { getEvent, getEventPayload, getLatestEvent, getOldestEvent, listEvents } from "./operations/events.ts";
import { getFilters, patchFilters } from "./operations/filters.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./operations/invitations.ts";
import { createMemberRole, deleteMemberRole, listMemberRoles } from "./operations/member-roles.ts";
import {
  addMember,
  getAnyMember,
  getMember,
  listAllMembers,
  listMembers,
  removeMember,
  updateMember,
} from "./operations/members.ts";
import { getMetadata, getVersion } from "./operations/metadata.ts";
import { listOutcomes } from "./operations/outcomes.ts";
import { getOwnErrorReporting, updateOwnErrorReporting } from "./operations/own-error-reporting.ts";
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  removeDeletedProject,
  restoreProject,
  updateProject,
} from "./operations/projects.ts";
import { getDefaultQuota, getQuota, listQuotas, updateDefaultQuota, updateQuota } from "./operations/quotas.ts";
import { getSessionStats, listReleases } from "./operations/releases.ts";
import { getSettings, patchSettings, putSettings } from "./operations/settings.ts";
import {
  blockUser,
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  unblockUser,
  updateUser,
} from "./operations/users.ts";

/** The operations of the REST API (specification 4.1 and 9.1), in the order of its document. Other plugins add theirs. */
export const operations: readonly RestOperation[] = [
  listClientKeys,
  createClientKey,
  getClientKey,
  updateClientKey,
  deleteClientKey,
  getClientKeyTraffic,
  getSettings,
  putSettings,
  patchSettings,
  getFilters,
  patchFilters,

  listErrors,
  updateErrors,
  getError,
  updateError,
  deleteError,
  getErrorStats,
  getErrorBreakdown,
  listEvents,
  getLatestEvent,
  getOldestEvent,
  getEvent,
  getEventPayload,
  listDeletions,
  createDeletion,
  getDeletion,
  undoDeletion,
  listDiscards,
  endDiscard,
  listReleases,
  getSessionStats,
  listOutcomes,

  getQuota,
  updateQuota,
  listQuotas,
  getDefaultQuota,
  updateDefaultQuota,
  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,
  removeDeletedProject,
  restoreProject,
  listMembers,
  addMember,
  listAllMembers,
  getAnyMember,
  getMember,
  updateMember,
  removeMember,
  listInvitations,
  createInvitation,
  revokeInvitation,
  listMemberRoles,
  createMemberRole,
  deleteMemberRole,

  getCurrentUser,
  listUsers,
  createUser,
  getUser,
  updateUser,
  deleteUser,
  blockUser,
  unblockUser,
  listAccessTokens,
  getOwnAccessToken,
  revokeOwnAccessToken,
  rotateOwnAccessToken,
  getAccessToken,
  revokeAccessToken,
  rotateAccessToken,

  getMetadata,
  getVersion,
  listAuditEvents,
  getOwnErrorReporting,
  updateOwnErrorReporting,
];
