import type { Handlers } from "@faultline/plugin";
import { UserService } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";

/** The users of this installation. */
export function userService(): Handlers<typeof UserService, CoreCall> {
  return notBuilt(UserService);
}
