import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { SessionSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

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
