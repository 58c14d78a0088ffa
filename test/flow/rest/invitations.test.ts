import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const invitations = `/projects/${project.id}/invitations`;
const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const developer = await newMember(client, project.id, Role.DEVELOPER);

type Body = Record<string, unknown> & { readonly id: number; readonly url: string };

async function invite(body: object = { access_level: 30, note: "for Nora" }): Promise<Body> {
  const answer = await answered(rest(server, `POST ${invitations}`, { token: maintainer.token, body }), 201);
  return answer.json as Body;
}

test("an invitation is answered with its link, and listed without it", async () => {
  const { url, ...invitation } = await invite();
  assert.ok(url.startsWith(server.url), url);
  const { id, created_at, expires_at, ...fields } = invitation;
  const days = (Date.parse(String(expires_at)) - Date.parse(String(created_at))) / 86_400_000;
  assert.is(days, 7);
  assert.equal(fields, {
    access_level: 30,
    member_role: null,
    note: "for Nora",
    created_by_name: maintainer.username,
  });
  const list = await answered(rest(server, `GET ${invitations}`, { token: maintainer.token }), 200);
  assert.equal(
    (list.json as Body[]).find((one) => one.id === id),
    invitation,
  );
});

test("the link lets one person in, with the role", async () => {
  const { url, id } = await invite();
  const token = url.split("/").at(-1) ?? "";
  const made = await client.members.registerByInvitation({ token, username: "invited", password: personPassword });
  const path = `/projects/${project.id}/members/${made.user?.userId}`;
  assert.is(((await rest(server, `GET ${path}`)).json as Body)["access_level"], 30);
  const list = await rest(server, `GET ${invitations}`);
  assert.not.ok((list.json as Body[]).some((one) => one.id === id));
});

test("an invitation that is taken back is answered with 204, and its link ends", async () => {
  const { url, id } = await invite();
  const path = `${invitations}/${id}`;
  await assertAnswer(rest(server, `DELETE ${path}`, { token: maintainer.token }), 204);
  const missing = { message: "404 Invitation Not Found" };
  for (const gone of [path, `${invitations}/999999999`, `${invitations}/01`])
    await assertAnswer(rest(server, `DELETE ${gone}`, { token: maintainer.token }), 404, missing);
  const token = url.split("/").at(-1) ?? "";
  const refused = await client.members.getInvitation({ token }).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(refused, Error);
});

test("an invitation of another project is not found", async () => {
  const { id } = await invite();
  const other = await createProject(server);
  await assertAnswer(rest(server, `DELETE /projects/${other.id}/invitations/${id}`), 404, {
    message: "404 Invitation Not Found",
  });
});

test("a developer neither invites nor sees invitations, and a maintainer invites no owner", async () => {
  const forbidden = { message: "403 Forbidden" };
  const body = { access_level: 10 };
  await assertAnswer(rest(server, `POST ${invitations}`, { token: developer.token, body }), 403, forbidden);
  await assertAnswer(rest(server, `GET ${invitations}`, { token: developer.token }), 403, forbidden);
  const owner = { access_level: 50 };
  await assertAnswer(rest(server, `POST ${invitations}`, { token: maintainer.token, body: owner }), 403, forbidden);
});

test("an invitation without a role is answered 400", () =>
  assertAnswer(rest(server, `POST ${invitations}`, { body: {} }), 400, { error: "access_level is missing" }));

test.run();
