import type { Handlers } from "@faultline/plugin";
import { MemberService } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";

/** Members of projects and invitations. */
export function memberService(): Handlers<typeof MemberService, CoreCall> {
  return notBuilt(MemberService);
}
