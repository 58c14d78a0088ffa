import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { UserRow } from "../tables/user.ts";

/** The rights that the operator may grant to people who are not administrators. */
export interface Delegated {
  readonly projectCreation: "everyone" | "administrators";
  /** `maintainers` means everybody who may change the members of a project. */
  readonly invitations: "maintainers" | "administrators";
}

/** Whether something is allowed and, if not, why. */
export interface Delegation {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Whether a person may create projects here. */
export function mayCreateProjects({ projectCreation: who }: Delegated, user: Pick<UserRow, "isAdmin">): Delegation {
  if (who === "everyone" || user.isAdmin) return allowed;
  return {
    allowed: false,
    reason: "Only administrators can create projects in this installation. Ask an administrator for a project.",
  };
}

/** Whether a person who may change the members of a project may also invite people by a link. */
export function mayInvite({ invitations: who }: Delegated, user: Pick<UserRow, "isAdmin">): Delegation {
  if (who === "maintainers" || user.isAdmin) return allowed;
  return {
    allowed: false,
    reason:
      "Only administrators can invite people by link in this installation. Ask an administrator, or add people who have an account here.",
  };
}

/** Refuses with FORBIDDEN unless it is allowed. */
export function refuseUnless({ allowed: isAllowed, reason }: Delegation): void {
  if (!isAllowed) throw new ServiceError(ErrorReason.FORBIDDEN, reason);
}

const allowed = { allowed: true, reason: "" };
