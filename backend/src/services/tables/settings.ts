import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { Backend, SettingsSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

export const SettingsEntity = defineEntity({
  name: "Settings",
  tableName: "settings",
  properties: {
    /** The project's id. */
    id: p.integer().primary(),
    active: p.boolean(),
    backend: p.integer().$type<Backend>(),
    externalApiUrl: p.string(),
    /** Encrypted; null if there is none. */
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
