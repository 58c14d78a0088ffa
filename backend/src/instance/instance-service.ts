import type { Handlers } from "@faultline/plugin";
import { InstanceService } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";

/** This installation as a whole. */
export function instanceService(): Handlers<typeof InstanceService, CoreCall> {
  return notBuilt(InstanceService);
}
