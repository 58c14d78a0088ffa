import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { runningServer } from "../../support/service/flow.ts";
import { newPerson } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await runningServer();
const person = await newPerson(client);

type Body = Record<string, unknown> & { readonly id: number };

const make = (body: object) => rest(server, "POST /member_roles", { body });

test("a custom role is made with 201, with one boolean a permission, and listed to everybody", async () => {
  const body = { name: "Keys", description: "for rotation", base_access_level: 20, admin_error_tracking: true };
  const made = await answered(make(body), 201);
  const { id, created_at, ...role } = made.json as Body;
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  assert.equal(role, {
    group_id: null,
    name: "Keys",
    description: "for rotation",
    base_access_level: 20,
    read_error_tracking: false,
    update_error_tracking: false,
    report_events: false,
    upload_source_maps: false,
    admin_error_tracking: true,
    admin_project: false,
    admin_project_members: false,
    remove_project: false,
  });
  const list = await answered(rest(server, "GET /member_roles", { token: person.token }), 200);
  assert.equal(
    (list.json as Body[]).find((one) => one.id === id),
    made.json,
  );
});

test("each permission can be added", async () => {
  const names = [
    "read_error_tracking",
    "update_error_tracking",
    "report_events",
    "upload_source_maps",
    "admin_error_tracking",
    "admin_project",
    "admin_project_members",
    "remove_project",
  ];
  for (const name of names) {
    const role = (await answered(make({ name, base_access_level: 10, [name]: true }), 201)).json as Body;
    assert.equal(
      names.filter((one) => role[one]),
      [name],
    );
  }
});

for (const [body, error] of [
  [{ base_access_level: 10, admin_project: true }, "name is missing"],
  [{ name: "", base_access_level: 10, admin_project: true }, "name is empty"],
  [{ name: "x", admin_project: true }, "base_access_level is missing"],
  [{ name: "x", base_access_level: 11, admin_project: true }, "base_access_level does not have a valid value"],
  [{ name: "x", base_access_level: 10, admin_project: "maybe" }, "admin_project is invalid"],
] as const)
  test(`a custom role ${JSON.stringify(body)} is answered 400: ${error}`, () =>
    assertAnswer(make(body), 400, { error }));

test("a custom role that adds nothing is answered 400 with the reason", async () => {
  for (const body of [
    { name: "x", base_access_level: 10 },
    { name: "x", base_access_level: 40, update_error_tracking: true },
  ]) {
    const answer = await answered(make(body), 400);
    assert.match(String((answer.json as Body)["message"]), /^400 Bad request - \w+ \w+/);
  }
});

test("only administrators make and delete custom roles", async () => {
  const { id } = (await make({ name: "x", base_access_level: 10, admin_project: true })).json as Body;
  const forbidden = { message: "403 Forbidden" };
  await assertAnswer(rest(server, "POST /member_roles", { token: person.token, body: {} }), 403, forbidden);
  await assertAnswer(rest(server, `DELETE /member_roles/${id}`, { token: person.token }), 403, forbidden);
  assert.is((await answered(rest(server, `DELETE /member_roles/${id}`), 204)).text, "");
  for (const gone of [id, 999_999_999, "01"])
    await assertAnswer(rest(server, `DELETE /member_roles/${gone}`), 404, { message: "404 Member Role Not Found" });
});

test("a custom role that a member has is not deleted, and says why", async () => {
  const { id } = (await make({ name: "used", base_access_level: 10, admin_project: true })).json as Body;
  const project = await createProject(server);
  const body = { user_id: person.userId, member_role_id: id };
  await assertAnswer(rest(server, `POST /projects/${project.id}/members`, { body }), 201);
  const refused = await answered(rest(server, `DELETE /member_roles/${id}`), 400);
  assert.match(String((refused.json as Body)["message"]), /\w+ \w+/);
  assert.ok(((await rest(server, "GET /member_roles")).json as Body[]).some((role) => role.id === id));
});

test.run();
