import type { Clock, Handlers } from "@faultline/plugin";
import type { MemberService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import type { Delegated } from "../instance/delegation.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { invitations } from "./invitations.ts";
import { members } from "./members.ts";
import { listMembers } from "./list-members.ts";
import { joining } from "./joining.ts";

/** Members of projects, and the invitations by which people join. */
export function memberService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
  delegated: Delegated;
}): Handlers<typeof MemberService, CoreCall> {
  return { listMembers: listMembers(parts), ...members(parts), ...invitations(parts), ...joining(parts) };
}
