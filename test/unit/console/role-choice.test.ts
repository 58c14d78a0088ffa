import { test } from "uvu";
import * as assert from "uvu/assert";
import { choiceOf, chosenRole, givenName, type GivenRole } from "../../../console/src/lib/people/roles.ts";

const memberRole = {
  memberRoleId: 7,
  name: "Triage",
  description: "",
  baseRole: "ROLE_REPORTER" as const,
  permissions: ["PERMISSION_UPDATE_ERROR_TRACKING" as const],
};

const table: [name: string, given: GivenRole, choice: string, asks: ReturnType<typeof chosenRole>][] = [
  ["Developer", { role: "ROLE_DEVELOPER" }, "ROLE_DEVELOPER", { role: "ROLE_DEVELOPER" }],
  ["Owner", { role: "ROLE_OWNER", memberRole: undefined }, "ROLE_OWNER", { role: "ROLE_OWNER" }],
  ["Triage", { role: "ROLE_REPORTER", memberRole }, "7", { memberRoleId: 7 }],
];

for (const [name, given, choice, asks] of table)
  test(`the role ${name} is chosen by its value and asked for as it was given`, () => {
    assert.is(choiceOf(given), choice);
    assert.is(givenName(given), name);
    assert.equal(chosenRole(choice), asks);
  });

for (const value of ["", "0", "-1", "1e3", "Developer", "ROLE_UNSPECIFIED", "role_owner", "99999999999"])
  test(`“${value}” asks for no role`, () => {
    assert.equal(chosenRole(value), {});
  });

test.run();
