import type { Member, Role } from "../messages.ts";
import { roleName, roles } from "./roles.ts";

/** A role of a member or of an invitation: one of the five, or a custom one. */
export type GivenRole = Pick<Member, "role" | "memberRole">;

/** The value of a role in a select: `ROLE_DEVELOPER`, or the id of a custom role. */
export const choiceOf = ({ role, memberRole }: GivenRole) => memberRole?.memberRoleId.toString() ?? role;

/** `Developer`, or the name of the custom role. */
export const givenName = ({ role, memberRole }: GivenRole) => memberRole?.name ?? roleName(role);

/** The role that a select's value stands for; the service refuses a request without one. */
export function chosenRole(value: string): { role?: Role; memberRoleId?: number } {
  if (/^[1-9]\d{0,9}$/.test(value)) return { memberRoleId: Number(value) };
  const known = roles.find(({ role }) => role === value);
  return known === undefined ? {} : { role: known.role };
}
