import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await sharedServer();

type Body = Record<string, unknown>;

/** A project and the path of its settings. */
async function newSettings() {
  const project = await createProject(server);
  return { project, path: `/projects/${project.id}/error_tracking/settings` };
}

const external = {
  active: true,
  integrated: false,
  api_url: "https://errors.example.com",
  token: "a-secret-token",
  project: { slug: "web", name: "Web", organization_slug: "acme", organization_name: "Acme", id: "42" },
};
/** The same at a separate system, because an external project can be linked only once. */
const externalAt = (host: string) => ({ ...external, api_url: `https://${host}.example.com` });

test("all settings of the console are set by REST, and the token is not answered", async () => {
  const { path } = await newSettings();
  const put = await answered(rest(server, `PUT ${path}`, { body: external }), 200);
  const body = put.json as Body;
  const wanted = {
    active: true,
    project_name: "Web",
    sentry_external_url: "https://errors.example.com/acme/web",
    api_url: "https://errors.example.com/api/0/projects/acme/web",
    integrated: false,
    backend: "external",
    external_api_url: "https://errors.example.com",
    has_token: true,
    external_project: external.project,
    dsn: null,
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(body[name], value, name);
  assert.not.match(put.text, external.token);
  assert.equal(Object.keys(body).slice(0, 5), [
    "active",
    "project_name",
    "sentry_external_url",
    "api_url",
    "integrated",
  ]);
  assert.equal((await rest(server, `GET ${path}`)).json, body);
});

test("an answer of GET can be sent back and changes only the revision", async () => {
  const { path } = await newSettings();
  const put = await answered(rest(server, `PUT ${path}`, { body: externalAt("back") }), 200);
  const { updated_at: _, revision, ...stored } = put.json as Body;
  const again = await answered(rest(server, `PUT ${path}`, { body: put.json }), 200);
  const { updated_at: __, revision: next, ...same } = again.json as Body;
  assert.equal(same, stored);
  assert.is(next, Number(revision) + 1);
});

test("a revision that is not the stored one is answered 409, and nothing is saved", async () => {
  const { path } = await newSettings();
  const { revision } = (await rest(server, `GET ${path}`)).json as { revision: number };
  const save = (active: boolean) => rest(server, `PATCH ${path}`, { body: { active, revision } });
  await assertAnswer(save(false), 200);
  const late = await answered(save(true), 409);
  assert.match(String((late.json as Body)["message"]), "Someone else has changed");
  assert.is(((await rest(server, `GET ${path}`)).json as Body)["active"], false);
});

test("settings that were never saved have the revision 0", async () => {
  const { json } = await rest(server, "POST /projects", { body: { path: "revision-0" } });
  const path = `/projects/${(json as { id: number }).id}/error_tracking/settings`;
  const put = (revision: unknown) =>
    rest(server, `PUT ${path}`, { body: { active: false, integrated: true, revision } });
  assert.is((await put(1)).status, 409);
  await assertAnswer(put(0), 200);
  await assertAnswer(put("one"), 400, { error: "revision is invalid" });
});

test("the token goes when it is emptied, and stays when it is not named", async () => {
  const { path } = await newSettings();
  await assertAnswer(rest(server, `PUT ${path}`, { body: { ...externalAt("emptied"), active: false } }), 200);
  const patch = async (body: Body) => {
    const answer = await answered(rest(server, `PATCH ${path}`, { body: { active: false, ...body } }), 200);
    return (answer.json as Body)["has_token"];
  };
  assert.is(await patch({}), true);
  assert.is(await patch({ token: null }), true);
  assert.is(await patch({ token: "" }), false);
});

test("an external project that another project is linked to is answered 409", async () => {
  const taken = externalAt("taken");
  await assertAnswer(rest(server, `PUT ${(await newSettings()).path}`, { body: taken }), 200);
  const late = await answered(rest(server, `PUT ${(await newSettings()).path}`, { body: taken }), 409);
  assert.match(String((late.json as Body)["message"]), "Another project of this installation is linked");
});

test("a token is set with its address, or with the revision that names it", async () => {
  const { path } = await newSettings();
  const put = await answered(rest(server, `PUT ${path}`, { body: externalAt("alone") }), 200);
  const patch = (body: Body) =>
    rest(server, `PATCH ${path}`, { body: { active: true, token: "another-token", ...body } });
  const alone = await answered(patch({}), 400);
  assert.match(String((alone.json as Body)["message"]), "Send the auth token together with its External API URL");
  await assertAnswer(patch({ revision: (put.json as Body)["revision"] }), 200);
  await assertAnswer(patch({ api_url: externalAt("alone").api_url }), 200);
});

test("the DSN is answered to a maintainer, and a developer does not read the settings", async () => {
  const { project, path } = await newSettings();
  const maintainer = await newMember(client, project.id, Role.MAINTAINER);
  const developer = await newMember(client, project.id, Role.DEVELOPER);
  const read = await answered(rest(server, `GET ${path}`, { token: maintainer.token }), 200);
  assert.match(String((read.json as Body)["dsn"]), new RegExp(`^http://flck_[0-9a-f]{32}@.*/${project.id}$`));
  await assertAnswer(rest(server, `GET ${path}`, { token: developer.token }), 403, { message: "403 Forbidden" });
});

const invalid: [body: Body, error: string][] = [
  [{ api_url: 5 }, "api_url is invalid"],
  [{ token: ["x"] }, "token is invalid"],
  [{ project: "web" }, "project is invalid"],
  [{ project: ["web"] }, "project is invalid"],
  [{ project: { slug: "web" } }, "organization_slug is missing"],
  [{ project: { slug: "", organization_slug: "acme" } }, "slug is empty"],
  [{ revision: -1 }, "revision is invalid"],
];
for (const [body, error] of invalid)
  test(`settings with ${JSON.stringify(body)} are answered 400: ${error}`, async () => {
    const { path } = await newSettings();
    await assertAnswer(rest(server, `PATCH ${path}`, { body: { active: true, ...body } }), 400, { error });
  });

test("a project has at most 50 client keys, and the next one is answered 400 with the reason", async () => {
  const { project } = await newSettings();
  const keys = `/projects/${project.id}/error_tracking/client_keys`;
  const total = async () => Number((await rest(server, `GET ${keys}`)).headers["x-total"]);
  for (let count = await total(); count < 50; count += 1) await assertAnswer(rest(server, `POST ${keys}`), 201);
  const refused = await answered(rest(server, `POST ${keys}`), 400);
  assert.match(String((refused.json as Body)["message"]), /50 client keys.* \w+/);
  assert.is(await total(), 50);
});

test.run();
