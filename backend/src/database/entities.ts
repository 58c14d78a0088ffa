import type { Backend } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

// Times are milliseconds since 1970, UTC. Ids are integers that SQLite gives out once (`autoincrement`).

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
    expiresAt: p.bigint("number"),
  },
});

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

export const ClientKeyEntity = defineEntity({
  name: "ClientKey",
  tableName: "client_key",
  properties: {
    id: p.integer().primary(),
    projectId: p.integer(),
    /** Keyed digest of the public key, to find it by. */
    keyDigest: p.string(),
    /** `<public key>:<secret>`, encrypted. */
    sealedPair: p.text(),
    createdAt: p.bigint("number"),
    lastUsedAt: p.bigint("number").nullable(),
  },
});
export type ClientKeyRow = InferEntity<typeof ClientKeyEntity>;

export const coreEntities = [
  UserEntity,
  SessionEntity,
  AccessTokenEntity,
  ProjectEntity,
  SettingsEntity,
  ClientKeyEntity,
];
