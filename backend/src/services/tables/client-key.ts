import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { ClientKeySchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

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
    /** 0 if the key has no limit. */
    eventsPerMinute: p.integer().default(0),
    eventsPerDay: p.integer().default(0),
    /** Joined by spaces; empty for all. */
    allowedOrigins: p.string().default(""),
  },
});
export type ClientKeyRow = InferEntity<typeof ClientKeyEntity>;

/** `shown` has the row's decrypted key and secret, and the address of the DSNs; undefined if they are not shown. */
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

/** The origins that a key allows. */
export function originsOf({ allowedOrigins }: { readonly allowedOrigins: string }): string[] {
  return allowedOrigins === "" ? [] : allowedOrigins.split(" ");
}
