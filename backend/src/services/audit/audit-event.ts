import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { AuditEventSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

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
