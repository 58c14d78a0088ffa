import type { RestOperation } from "@faultline/plugin/rest";
import {
  getAccessToken,
  getOwnAccessToken,
  listAccessTokens,
  revokeAccessToken,
  revokeOwnAccessToken,
  rotateAccessToken,
  rotateOwnAccessToken,
} from "./accounts/access-token-operations.ts";
import { listAuditEvents } from "./audit/audit-operations.ts";
import {
  createBulkUpdate,
  getBulkUpdate,
  listBulkUpdates,
  stopBulkUpdate,
  undoBulkUpdate,
} from "./errors/bulk-update-operations.ts";
import {
  createClientKey,
  deleteClientKey,
  getClientKey,
  getClientKeyTraffic,
  listClientKeys,
  updateClientKey,
} from "./client-keys/client-key-operations.ts";
import {
  createDeletion,
  deleteError,
  getDeletion,
  listDeletions,
  undoDeletion,
} from "./deletions/deletion-operations.ts";
import { endDiscard, listDiscards } from "./deletions/discard-operations.ts";
import { getErrorBreakdown } from "./errors/breakdown-operations.ts";
import { getError, getErrorStats, listErrors, updateError, updateErrors } from "./errors/error-operations.ts";
import { getEvent, getEventPayload, getLatestEvent, getOldestEvent, listEvents } from "./errors/event-operations.ts";
import {
  getErrorCount,
  getErrorProject,
  getErrors,
  listSearchValues,
  previewRegrouping,
} from "./errors/lookup-operations.ts";
import { listFeedback } from "./errors/feedback-operations.ts";
import { explainGrouping } from "./errors/grouping-operations.ts";
import { getFilters, patchFilters } from "./filters/filter-operations.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./members/invitation-operations.ts";
import { createMemberRole, deleteMemberRole, listMemberRoles } from "./members/member-role-operations.ts";
import {
  addMember,
  getAnyMember,
  getMember,
  listAllMembers,
  listMembers,
  removeMember,
  updateMember,
} from "./members/member-operations.ts";
import {
  deleteDeadLetters,
  getHealth,
  getIngestLag,
  listDeadLetters,
  replayDeadLetters,
  rotateEncryptionKey,
} from "./instance/installation-operations.ts";
import { getMetadata, getVersion } from "./instance/metadata-operations.ts";
import { listOutcomes } from "./outcomes/outcome-operations.ts";
import {
  deleteUnstoredEvents,
  listUnstoredEvents,
  replayUnstoredEvents,
} from "./outcomes/unstored-event-operations.ts";
import { getOwnErrorReporting, updateOwnErrorReporting } from "./instance/own-error-reporting-operations.ts";
import {
  createProject,
  deleteProject,
  getProject,
  listDeletedProjects,
  listProjects,
  removeDeletedProject,
  restoreProject,
  updateProject,
} from "./projects/project-operations.ts";
import { getDefaultQuota, getQuota, listQuotas, updateDefaultQuota, updateQuota } from "./quotas/quota-operations.ts";
import { getSessionStats, listReleases } from "./releases/release-operations.ts";
import { getSettings, listExternalProjects, patchSettings, putSettings } from "./settings/settings-operations.ts";
import {
  blockUser,
  confirmUserEmail,
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  unblockUser,
  updateUser,
} from "./users/user-operations.ts";

/** The core's operations of the REST API (specification 4.1 and 9.1), in the order of its document. Plugins add theirs. */
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
  listExternalProjects,
  getFilters,
  patchFilters,

  listErrors,
  updateErrors,
  getErrors,
  getErrorCount,
  getErrorProject,
  listSearchValues,
  previewRegrouping,
  getError,
  updateError,
  deleteError,
  getErrorStats,
  getErrorBreakdown,
  explainGrouping,
  listEvents,
  getLatestEvent,
  getOldestEvent,
  getEvent,
  getEventPayload,
  listFeedback,
  listBulkUpdates,
  createBulkUpdate,
  getBulkUpdate,
  stopBulkUpdate,
  undoBulkUpdate,
  listDeletions,
  createDeletion,
  getDeletion,
  undoDeletion,
  listDiscards,
  endDiscard,
  listReleases,
  getSessionStats,
  listOutcomes,
  listUnstoredEvents,
  replayUnstoredEvents,
  deleteUnstoredEvents,

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
  listDeletedProjects,
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
  confirmUserEmail,
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
  getHealth,
  getIngestLag,
  rotateEncryptionKey,
  listDeadLetters,
  replayDeadLetters,
  deleteDeadLetters,
];
