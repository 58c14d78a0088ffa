import type { Handlers } from "@faultline/plugin";
import { MemberRoleService } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";

/** Custom roles. */
export function memberRoleService(): Handlers<typeof MemberRoleService, CoreCall> {
  return notBuilt(MemberRoleService);
}
