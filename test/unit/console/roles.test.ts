import { enumToJson } from "@bufbuild/protobuf";
import { Permission, PermissionSchema, RoleSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allPermissions, permissionsOf, roleNames } from "../../../backend/src/services/access/roles.ts";
import { permissionName, permissions, reaches, roleName, roles } from "../../../console/src/lib/people/roles.ts";

const words = suite("roles in words");

/** Every member has these, so that no custom role adds them. */
const ofEveryMember = new Set<Permission>([Permission.READ_PROJECT, Permission.READ_MEMBERS]);
const known = [...roleNames].map(([role, name]) => ({ role, name, json: enumToJson(RoleSchema, role) }));

words("the pages call the roles what the service calls them, in its order", () => {
  assert.equal(
    roles.map(({ role, name }) => [role, name]),
    known.map(({ json, name }) => [json, name]),
  );
  assert.is(roleName("ROLE_DEVELOPER"), "Developer");
  assert.is(roleName("ROLE_UNSPECIFIED"), "No role");
});

words("every permission that a custom role can add has words and the role that the service gives it to", () => {
  const expected = allPermissions
    .filter((permission) => !ofEveryMember.has(permission))
    .map((permission) => ({
      permission: enumToJson(PermissionSchema, permission),
      least: known.find(({ role }) => permissionsOf(role).has(permission))?.json,
    }));
  assert.equal(
    permissions.map(({ permission, least }) => ({ permission, least })),
    expected,
  );
  assert.is(permissionName("PERMISSION_REMOVE_PROJECT"), "Delete the project");
});

words("a role reaches itself and those before it", () => {
  assert.ok(reaches("ROLE_DEVELOPER", "ROLE_DEVELOPER"));
  assert.ok(reaches("ROLE_OWNER", "ROLE_GUEST"));
  assert.not(reaches("ROLE_REPORTER", "ROLE_DEVELOPER"));
});

words.run();
