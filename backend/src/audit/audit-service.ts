import type { Handlers } from "@faultline/plugin";
import { AuditService } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";

/** The record of administrative acts. */
export function auditService(): Handlers<typeof AuditService, CoreCall> {
  return notBuilt(AuditService);
}
