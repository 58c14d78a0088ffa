import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { AccessTokenSchema, ClientKeySchema, ProjectSchema, SettingsSchema, UserSchema } from "@faultline/proto";
import type { Grant } from "./access/grants.ts";
import type { AccessTokenRow, ClientKeyRow, SettingsRow, UserRow } from "./database/entities.ts";

// Rows become messages here and nowhere else.

export function userToProto(row: UserRow): MessageInitShape<typeof UserSchema> {
  return {
    userId: row.id,
    username: row.username,
    name: row.name,
    isAdmin: row.isAdmin,
    email: row.email,
    isBlocked: row.isBlocked,
    createdTime: timestamp(row.createdAt),
    ...(row.lastSignInAt != null && { lastSignInTime: timestamp(row.lastSignInAt) }),
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

/** `capabilities` are not in the row: they come from the backend and the caller's role. */
export function projectToProto(
  { project, role }: Pick<Grant, "project" | "role">,
  capabilities: MessageInitShape<typeof ProjectSchema>["capabilities"],
): MessageInitShape<typeof ProjectSchema> {
  return {
    projectId: project.id,
    path: project.path,
    name: project.name,
    monitorEnabled: project.monitorEnabled,
    createdTime: timestamp(project.createdAt),
    role,
    ...(capabilities && { capabilities }),
  };
}

/** `dsn` is not in the row: it comes from the client keys. */
export function settingsToProto(row: SettingsRow, dsn: string): MessageInitShape<typeof SettingsSchema> {
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
    dsn,
  };
}

/** `pair` is the row's decrypted key and secret. */
export function clientKeyToProto(
  row: ClientKeyRow,
  pair: { publicKey: string; secret: string },
  baseUrl: string,
): MessageInitShape<typeof ClientKeySchema> {
  const dsn = (credentials: string) => baseUrl.replace("://", `://${credentials}@`) + `/${row.projectId}`;
  return {
    keyId: row.id,
    projectId: row.projectId,
    publicKey: pair.publicKey,
    dsn: dsn(pair.publicKey),
    legacyDsn: dsn(`${pair.publicKey}:${pair.secret}`),
    createdTime: timestamp(row.createdAt),
    ...(row.lastUsedAt != null && { lastUsedTime: timestamp(row.lastUsedAt) }),
  };
}
