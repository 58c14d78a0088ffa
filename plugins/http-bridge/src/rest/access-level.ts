import { Role } from "@faultline/proto";
import { badParameter } from "./http-error.ts";
import { numberParam, type Params } from "./params.ts";

/** A role as its access level, 10 to 50; undefined when it is not given. */
export function accessLevelParam(params: Params, name: string): Role | undefined {
  const level = numberParam(params, name);
  const role = Object.values(Role).find((one) => one === level);
  if (level !== undefined && role === undefined) throw badParameter(name, "does not have a valid value");
  return role;
}

/** What a member gets: `access_level`, or the custom role `member_role_id`, whose base role it then is. */
export function givenRole(params: Params): { role: Role; memberRoleId: number } {
  const role = accessLevelParam(params, "access_level");
  const memberRoleId = numberParam(params, "member_role_id");
  if (role === undefined && memberRoleId === undefined) throw badParameter("access_level", "is missing");
  return { role: role ?? Role.UNSPECIFIED, memberRoleId: memberRoleId ?? 0 };
}
