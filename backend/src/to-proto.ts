import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type {
  AccessTokenSchema,
  AuditEventSchema,
  ClientKeySchema,
  InboundFiltersSchema,
  DefaultQuotaSchema,
  InvitationSchema,
  MemberRoleSchema,
  MemberSchema,
  OwnErrorReportingSchema,
  ProjectSchema,
  QuotaSchema,
  SessionSchema,
  SettingsSchema,
  SpikeBudgetSchema,
  UserSchema,
} from "@faultline/proto";
import { addedBy, type Grant } from "./services/access/grants.ts";
import type {
  AccessTokenRow,
  AuditEventRow,
  ClientKeyRow,
  InboundFilterRow,
  InvitationRow,
  MemberRoleRow,
  MemberRow,
  ProjectRow,
  SessionRow,
  OwnErrorReportingRow,
  SettingsRow,
  UserRow,
} from "./storage/database/entities.ts";
import { entriesOf } from "./services/filters/filter-fields.ts";
import type { Budget } from "./services/filters/spike-protection.ts";
import type { VersionStanding } from "./host/own-errors/version-standing.ts";
import { originsOf } from "./services/client-keys/origins.ts";
import { removalAt } from "./services/projects/deleted-projects.ts";
import type { Limits, SetLimits } from "./services/quotas/limits.ts";
import type { Evicted } from "./services/quotas/quotas.ts";

// Rows become messages here and nowhere else.

/** `viewer` is the user it is shown to: administrators and the user see more than others. */
export function userToProto(
  row: UserRow,
  viewer: Pick<UserRow, "id" | "isAdmin">,
): MessageInitShape<typeof UserSchema> {
  const seesAll = viewer.isAdmin || viewer.id === row.id;
  return {
    userId: row.id,
    username: row.username,
    name: row.name,
    isAdmin: row.isAdmin,
    isBlocked: row.isBlocked,
    createdTime: timestamp(row.createdAt),
    ...(seesAll && { email: row.email }),
    ...(seesAll && row.lastSignInAt != null && { lastSignInTime: timestamp(row.lastSignInAt) }),
  };
}

/** `endsAt` is not in the row: see sessionEnd. */
export function sessionToProto(
  row: SessionRow,
  endsAt: number,
  isCurrent: boolean,
): MessageInitShape<typeof SessionSchema> {
  return {
    sessionId: row.id,
    clientAddress: row.clientAddress,
    userAgent: row.userAgent,
    createdTime: timestamp(row.createdAt),
    lastUsedTime: timestamp(row.lastUsedAt),
    expiresTime: timestamp(endsAt),
    isCurrent,
  };
}

export function accessTokenToProto(row: AccessTokenRow): MessageInitShape<typeof AccessTokenSchema> {
  return {
    tokenId: row.id,
    name: row.name,
    scopes: row.scopes.split(" "),
    createdTime: timestamp(row.createdAt),
    ...(row.expiresAt != null && { expiresTime: timestamp(row.expiresAt) }),
    ...(row.lastUsedAt != null && { lastUsedTime: timestamp(row.lastUsedAt) }),
    ...(row.revokedAt != null && { revokedTime: timestamp(row.revokedAt) }),
    userId: row.userId,
  };
}

/** `memberRole` is the row's custom role. */
export function memberToProto(
  row: MemberRow,
  user: UserRow,
  memberRole: MemberRoleRow | null,
  viewer: UserRow,
): MessageInitShape<typeof MemberSchema> {
  return {
    user: userToProto(user, viewer),
    role: row.role,
    ...(memberRole && { memberRole: memberRoleToProto(memberRole) }),
    createdTime: timestamp(row.createdAt),
  };
}

/** `memberRole` is the row's custom role, `maker` the user who invites. */
export function invitationToProto(
  row: InvitationRow,
  maker: UserRow,
  memberRole: MemberRoleRow | null,
): MessageInitShape<typeof InvitationSchema> {
  return {
    invitationId: row.id,
    projectId: row.projectId,
    role: row.role,
    ...(memberRole && { memberRole: memberRoleToProto(memberRole) }),
    note: row.note,
    invitedBy: maker.username,
    createdTime: timestamp(row.createdAt),
    expiresTime: timestamp(row.expiresAt),
  };
}

export function memberRoleToProto(row: MemberRoleRow): MessageInitShape<typeof MemberRoleSchema> {
  return {
    memberRoleId: row.id,
    name: row.name,
    description: row.description,
    baseRole: row.baseRole,
    permissions: addedBy(row.permissions),
    createdTime: timestamp(row.createdAt),
  };
}

export function auditEventToProto(row: AuditEventRow): MessageInitShape<typeof AuditEventSchema> {
  return {
    auditEventId: BigInt(row.id),
    time: timestamp(row.at),
    userId: row.userId,
    username: row.username,
    method: row.method,
    projectId: row.projectId,
    projectPath: row.projectPath,
    summary: row.summary,
    tokenId: row.tokenId,
  };
}

/** `capabilities` are not in the row: they come from the backend and the caller's role. */
export function projectToProto(
  { project, role }: Pick<Grant, "project" | "role">,
  capabilities: MessageInitShape<typeof ProjectSchema>["capabilities"],
): MessageInitShape<typeof ProjectSchema> {
  return {
    projectId: project.id,
    path: project.deletedPath ?? project.path,
    name: project.name,
    monitorEnabled: project.monitorEnabled,
    codeUrl: project.codeUrl,
    codeRoot: project.codeRoot,
    createdTime: timestamp(project.createdAt),
    role,
    ...(capabilities && { capabilities }),
    ...(project.deletedAt != null && { removalTime: timestamp(removalAt(project.deletedAt)) }),
  };
}

/** `shown` is not in the row: it comes from the client keys. */
export function settingsToProto(
  row: SettingsRow,
  shown: { readonly dsn: string; readonly dsnUnavailableReason: string },
): MessageInitShape<typeof SettingsSchema> {
  return {
    projectId: row.id,
    active: row.active,
    backend: row.backend,
    externalApiUrl: row.externalApiUrl,
    hasExternalAuthToken: row.externalAuthToken != null,
    ...(row.externalProjectSlug !== "" && {
      externalProject: {
        id: row.externalProjectId,
        slug: row.externalProjectSlug,
        name: row.externalProjectName,
        organizationSlug: row.externalOrganizationSlug,
        organizationName: row.externalOrganizationName,
      },
    }),
    revision: row.revision,
    updatedTime: timestamp(row.updatedAt),
    ...shown,
  };
}

export function filtersToProto(row: InboundFilterRow): MessageInitShape<typeof InboundFiltersSchema> {
  const { projectId, webCrawlers, oldBrowsers, browserExtensions, localhost, spikeProtection, revision } = row;
  return {
    projectId,
    addresses: entriesOf(row.addresses),
    releases: entriesOf(row.releases),
    environments: entriesOf(row.environments),
    messages: entriesOf(row.messages),
    types: entriesOf(row.types),
    webCrawlers,
    oldBrowsers,
    browserExtensions,
    localhost,
    spikeProtection,
    revision,
    ...(row.updatedAt > 0 && { updatedTime: timestamp(row.updatedAt) }),
  };
}

/** The budget is not in the row: it is this process's count. */
export function spikeBudgetToProto(
  { total, left, usualDay }: Budget,
  { spikesSampledFrom }: Pick<InboundFilterRow, "spikesSampledFrom">,
  now: number,
): MessageInitShape<typeof SpikeBudgetSchema> {
  return {
    totalCount: BigInt(Math.floor(total)),
    leftCount: BigInt(left),
    usualDayCount: BigInt(usualDay),
    ...(spikesSampledFrom > now && { beginsTime: timestamp(spikesSampledFrom) }),
  };
}

/** `shown` is the row's decrypted key and secret, and the address of the DSNs; absent where they are not shown. */
export function clientKeyToProto(
  row: ClientKeyRow,
  shown?: { publicKey: string; secret: string; baseUrl: string },
): MessageInitShape<typeof ClientKeySchema> {
  const dsn = (baseUrl: string, credentials: string) =>
    baseUrl.replace("://", `://${credentials}@`) + `/${row.projectId}`;
  return {
    keyId: row.id,
    projectId: row.projectId,
    ...(shown && {
      publicKey: shown.publicKey,
      dsn: dsn(shown.baseUrl, shown.publicKey),
      legacyDsn: dsn(shown.baseUrl, `${shown.publicKey}:${shown.secret}`),
    }),
    createdTime: timestamp(row.createdAt),
    ...(row.lastUsedAt != null && { lastUsedTime: timestamp(row.lastUsedAt) }),
    active: row.active,
    eventsPerMinute: row.eventsPerMinute,
    eventsPerDay: row.eventsPerDay,
    allowedOrigins: originsOf(row),
  };
}

/** Only environment, version and switch are in the row; `dsn` is the masked one. */
export function ownErrorReportingToProto(
  row: Pick<OwnErrorReportingRow, "enabled" | "environment" | "externalVersion">,
  told: {
    dsn: string;
    version: VersionStanding;
    suggested: { id: number; path: string } | undefined;
    counts: { reported: number; leftOut: number };
  },
): MessageInitShape<typeof OwnErrorReportingSchema> {
  return {
    enabled: row.enabled,
    dsn: told.dsn,
    environment: row.environment,
    externalVersion: row.externalVersion,
    externalVersionNotice: told.version.notice,
    externalVersionSource: told.version.source,
    askedVersion: told.version.asked,
    suggestedProjectId: told.suggested?.id ?? 0,
    suggestedProjectPath: told.suggested?.path ?? "",
    reportedCount: BigInt(told.counts.reported),
    leftOutCount: BigInt(told.counts.leftOut),
  };
}

/** The limits of a project and their use. */
export function quotaToProto(
  project: Pick<ProjectRow, "id" | "path">,
  quota: {
    own: SetLimits;
    limits: Limits;
    dayBytes: number;
    dayEndsAt: number;
    keptBytes: number;
    eventCount: number;
    bytesPerDay: readonly number[];
    evicted: Evicted | undefined;
    refusedBecause: string;
  },
): MessageInitShape<typeof QuotaSchema> {
  const { own, limits, evicted } = quota;
  return {
    projectId: project.id,
    projectPath: project.path,
    dayBytes: BigInt(quota.dayBytes),
    dayLimitBytes: BigInt(limits.day),
    hasOwnDayLimit: own.day !== null,
    dayEndTime: timestamp(quota.dayEndsAt),
    keptBytes: BigInt(Math.max(0, quota.keptBytes)),
    keptLimitBytes: BigInt(limits.kept),
    hasOwnKeptLimit: own.kept !== null,
    eventCount: BigInt(quota.eventCount),
    bytesPerDay: quota.bytesPerDay.map(BigInt),
    ...(evicted && {
      evictedEventCount: BigInt(evicted.eventCount),
      evictedUntilTime: timestamp(evicted.receivedUntil),
      lastEvictedTime: timestamp(evicted.lastAt),
    }),
    refusedBecause: quota.refusedBecause,
  };
}

/** The limits of projects without their own. */
export function defaultQuotaToProto(quota: {
  set: SetLimits;
  limits: Limits;
  diskBytes: number | undefined;
}): MessageInitShape<typeof DefaultQuotaSchema> {
  const { set, limits, diskBytes } = quota;
  return {
    dayLimitBytes: BigInt(limits.day),
    hasOwnDayLimit: set.day !== null,
    keptLimitBytes: BigInt(limits.kept),
    hasOwnKeptLimit: set.kept !== null,
    diskBytes: BigInt(diskBytes ?? 0),
  };
}
