import { badParameter, numberParam, type Parameter, type Schema } from "@faultline/plugin/rest";
import { Role } from "@faultline/proto";

/** The role of a member as a number. */
export const accessLevel: Schema = {
  type: "integer",
  enum: [10, 20, 30, 40, 50],
  description: "The role: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner.",
};

/** The levels that a custom role can be based on. */
export const baseAccessLevel: Schema = { ...accessLevel, enum: [10, 20, 30, 40] };

/** A role as its access level. */
export function roleParam(schema: Schema): Parameter<Role | undefined> {
  const number = numberParam("");
  return {
    schema,
    read(value, name) {
      const level = number.read(value, name);
      const role = Object.values(Role).find((one) => one === level);
      if (level !== undefined && role === undefined) throw badParameter(name, "does not have a valid value");
      return role;
    },
  };
}

export const roleParams = {
  access_level: roleParam(accessLevel),
  member_role_id: numberParam("A custom role; `access_level` is then its base role, or absent."),
};

/** The role of the parameters in the core's form. One of the two must be given. */
export function roleOfParams(params: {
  readonly access_level: Role | undefined;
  readonly member_role_id: number | undefined;
}): { role: Role; memberRoleId: number } {
  const { access_level: role, member_role_id: memberRoleId } = params;
  if (role === undefined && memberRoleId === undefined) throw badParameter("access_level", "is missing");
  return { role: role ?? Role.UNSPECIFIED, memberRoleId: memberRoleId ?? 0 };
}
