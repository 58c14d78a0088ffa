import { test } from "uvu";
import * as assert from "uvu/assert";
import { restEntrances } from "../../permissions/operations.ts";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const { server } = await runningServer();
const project = await createProject(server);

const names = [
  "page per_page cursor sort order_by search query status period environment ids name path description",
  "monitor_access_level active integrated api_url token project revision user_id username email",
  "password admin access_level member_role_id note base_access_level admin_project expires_at id_after",
  "author_id entity_type entity_id enabled dsn project_id external_version release area touched_in",
].flatMap((line) => line.split(" "));
const oddValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  4_294_967_296,
  [],
  [[1]],
  {},
  { slug: 1 },
  "",
  "0",
  "\ud800",
  "\u0000",
  "'\"%_\\",
  "x".repeat(5_000),
];

for (const { name: entrance, verb, path, method } of restEntrances) {
  if (verb === "DELETE" || method.name === "AccountService.RotateAccessToken") continue; // they would end what the rest needs
  test(`${entrance} answers parameters of the wrong kind with a refusal, not a failure`, async () => {
    const filled = path.replace("/api/v4", "").replace(":project", String(project.id)).replaceAll(/:\w+/g, "999999999");
    for (const value of oddValues) {
      const body = Object.fromEntries(names.map((name) => [name, value]));
      const asBody = await rest(server, `${verb} ${filled}`, { body });
      assert.ok(asBody.status < 500, `${JSON.stringify(value).slice(0, 50)}: ${asBody.status} ${asBody.text}`);
      const query = new URLSearchParams(names.map((name) => [name, String(value).slice(0, 100)]));
      const asQuery = await rest(server, `${verb} ${filled}?${query}`);
      assert.ok(asQuery.status < 500, `${query}: ${asQuery.status} ${asQuery.text}`);
    }
  });
}

// The first fault of several hides the others.
test("a parameter of the wrong kind among good ones is refused or passed over", async () => {
  const places = [
    "POST /projects",
    "POST /users",
    "POST /member_roles",
    `PUT /projects/${project.id}/error_tracking/settings`,
  ];
  const good = {
    path: "odd/one",
    username: "odd-one",
    name: "odd",
    base_access_level: 10,
    admin_project: true,
    active: false,
    integrated: true,
  };
  for (const call of places)
    for (const name of names)
      for (const value of oddValues) {
        const answer = await rest(server, call, { body: { ...good, [name]: value } });
        assert.ok(
          answer.status < 500,
          `${call} ${name}=${JSON.stringify(value).slice(0, 50)}: ${answer.status} ${answer.text}`,
        );
      }
});

test.run();
