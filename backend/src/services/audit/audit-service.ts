import { pageSizeOf, pageToken, readPageToken, type Handlers } from "@faultline/plugin";
import type { AuditService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { AuditEventEntity, auditEventToProto } from "./audit-event.ts";

/** The record of administrative acts. */
export function auditService(orm: MikroORM): Handlers<typeof AuditService, CoreCall> {
  return {
    async listAuditEvents(request) {
      const { userId, projectId } = request;
      const list = `audit events ${userId} ${projectId}`;
      const place = readPageToken(list, request.pageToken, ["number"]);
      const size = pageSizeOf(request);
      const rows = await orm.em.fork().find(
        AuditEventEntity,
        {
          ...(userId !== 0 && { userId }),
          ...(projectId !== 0 && { projectId }),
          ...(place && { id: { $lt: place[0] } }),
        },
        { orderBy: { id: "desc" }, limit: size + 1 },
      );
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        auditEvents: page.map(auditEventToProto),
        nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
      };
    },
  };
}
