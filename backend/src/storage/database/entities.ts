import type { Backend, Role } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

// Times are milliseconds since 1970, UTC. Ids are integers that SQLite assigns once (`autoincrement`).

export const UserEntity = defineEntity({
  name: "User",
  tableName: "user",
  properties: {
    id: p.integer().primary(),
    username: p.string(),
    name: p.string(),
    /** argon2id in the PHC string form. */
    passwordHash: p.string(),
    isAdmin: p.boolean(),
    createdAt: p.bigint("number"),
    /** Empty: none. */
    email: p.string().default(""),
    isBlocked: p.boolean().default(false),
    lastSignInAt: p.bigint("number").nullable(),
  },
});
export type UserRow = InferEntity<typeof UserEntity>;

export const SessionEntity = defineEntity({
  name: "Session",
  tableName: "session",
  properties: {
    id: p.integer().primary(),
    userId: p.integer(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    /** The latest end; a session that is not used ends sooner. */
    expiresAt: p.bigint("number"),
    lastUsedAt: p.bigint("number"),
    clientAddress: p.string(),
    userAgent: p.string(),
  },
});
export type SessionRow = InferEntity<typeof SessionEntity>;

export const AccessTokenEntity = defineEntity({
  name: "AccessToken",
  tableName: "access_token",
  properties: {
    id: p.integer().primary(),
    userId: p.integer(),
    name: p.string(),
    /** Joined by a space. */
    scopes: p.string(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number").nullable(),
    lastUsedAt: p.bigint("number").nullable(),
    revokedAt: p.bigint("number").nullable(),
  },
});
export type AccessTokenRow = InferEntity<typeof AccessTokenEntity>;

export const ProjectEntity = defineEntity({
  name: "Project",
  tableName: "project",
  properties: {
    id: p.integer().primary(),
    path: p.string(),
    name: p.string(),
    monitorEnabled: p.boolean(),
    createdAt: p.bigint("number"),
    /** When it was deleted; `path` is then one that no project can have, and `deletedPath` the former one. */
    deletedAt: p.bigint("number").nullable(),
    deletedPath: p.string().nullable(),
    /** Empty: frames and releases are not linked. */
    codeUrl: p.string().default(""),
    codeRoot: p.string().default(""),
  },
});
export type ProjectRow = InferEntity<typeof ProjectEntity>;

export const SettingsEntity = defineEntity({
  name: "Settings",
  tableName: "settings",
  properties: {
    /** The project's id. */
    id: p.integer().primary(),
    active: p.boolean(),
    backend: p.integer().$type<Backend>(),
    externalApiUrl: p.string(),
    /** Encrypted; null when there is none. */
    externalAuthToken: p.text().nullable(),
    externalProjectId: p.string(),
    externalProjectSlug: p.string(),
    externalProjectName: p.string(),
    externalOrganizationSlug: p.string(),
    externalOrganizationName: p.string(),
    revision: p.integer(),
    updatedAt: p.bigint("number"),
  },
});
export type SettingsRow = InferEntity<typeof SettingsEntity>;

/** Lists hold one entry a line. */
export const InboundFilterEntity = defineEntity({
  name: "InboundFilter",
  tableName: "inbound_filter",
  properties: {
    projectId: p.integer().primary(),
    addresses: p.text(),
    releases: p.text(),
    environments: p.text(),
    messages: p.text(),
    types: p.text(),
    webCrawlers: p.boolean(),
    oldBrowsers: p.boolean(),
    browserExtensions: p.boolean(),
    localhost: p.boolean(),
    spikeProtection: p.boolean(),
    /** Before this time spikes are not sampled: a project older than the count of its events has no usual day yet. */
    spikesSampledFrom: p.bigint("number"),
    revision: p.integer(),
    updatedAt: p.bigint("number"),
  },
});
export type InboundFilterRow = InferEntity<typeof InboundFilterEntity>;

export const ClientKeyEntity = defineEntity({
  name: "ClientKey",
  tableName: "client_key",
  properties: {
    id: p.integer().primary(),
    projectId: p.integer(),
    /** Keyed digest of the public key, for lookups. */
    keyDigest: p.string(),
    /** `<public key>:<secret>`, encrypted. */
    sealedPair: p.text(),
    createdAt: p.bigint("number"),
    lastUsedAt: p.bigint("number").nullable(),
    active: p.boolean().default(true),
    /** 0: no limit of its own. */
    eventsPerMinute: p.integer().default(0),
    eventsPerDay: p.integer().default(0),
    /** Joined by a space; empty: all. */
    allowedOrigins: p.string().default(""),
  },
});
export type ClientKeyRow = InferEntity<typeof ClientKeyEntity>;

export const MemberRoleEntity = defineEntity({
  name: "MemberRole",
  tableName: "member_role",
  properties: {
    id: p.integer().primary(),
    name: p.string(),
    description: p.string(),
    baseRole: p.integer().$type<Role>(),
    /** Numbers of Permission, joined by a space. */
    permissions: p.string(),
    createdAt: p.bigint("number"),
  },
});
export type MemberRoleRow = InferEntity<typeof MemberRoleEntity>;

export const MemberEntity = defineEntity({
  name: "Member",
  tableName: "member",
  properties: {
    projectId: p.integer().primary(),
    userId: p.integer().primary(),
    role: p.integer().$type<Role>(),
    memberRoleId: p.integer().nullable(),
    createdAt: p.bigint("number"),
  },
});
export type MemberRow = InferEntity<typeof MemberEntity>;

export const InvitationEntity = defineEntity({
  name: "Invitation",
  tableName: "invitation",
  properties: {
    id: p.integer().primary(),
    projectId: p.integer(),
    tokenDigest: p.string(),
    role: p.integer().$type<Role>(),
    memberRoleId: p.integer().nullable(),
    note: p.string(),
    /** A user's id. */
    invitedBy: p.integer(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number"),
  },
});
export type InvitationRow = InferEntity<typeof InvitationEntity>;

export const PasswordResetEntity = defineEntity({
  name: "PasswordReset",
  tableName: "password_reset",
  properties: {
    userId: p.integer().primary(),
    tokenDigest: p.string(),
    createdAt: p.bigint("number"),
    expiresAt: p.bigint("number"),
  },
});

export const AuditEventEntity = defineEntity({
  name: "AuditEvent",
  tableName: "audit_event",
  properties: {
    id: p.integer().primary(),
    at: p.bigint("number"),
    userId: p.integer(),
    username: p.string(),
    tokenId: p.integer(),
    method: p.string(),
    projectId: p.integer(),
    projectPath: p.string(),
    summary: p.text(),
  },
});
export type AuditEventRow = InferEntity<typeof AuditEventEntity>;

export const OwnErrorReportingEntity = defineEntity({
  name: "OwnErrorReporting",
  tableName: "own_error_reporting",
  properties: {
    /** Always 1. */
    id: p.integer().primary(),
    enabled: p.boolean(),
    /** Encrypted; null when there is none. */
    dsn: p.text().nullable(),
    environment: p.string(),
    externalVersion: p.string(),
  },
});
export type OwnErrorReportingRow = InferEntity<typeof OwnErrorReportingEntity>;

export const coreEntities = [
  UserEntity,
  SessionEntity,
  AccessTokenEntity,
  ProjectEntity,
  SettingsEntity,
  InboundFilterEntity,
  ClientKeyEntity,
  MemberRoleEntity,
  MemberEntity,
  InvitationEntity,
  PasswordResetEntity,
  AuditEventEntity,
  OwnErrorReportingEntity,
];
