import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exampleOf } from "../../../console/src/routes/-/profile/personal_access_tokens/example.ts";

const example = suite("the example of a new token");

const origin = "https://errors.example.com";
const project = (path: string) => ({ projectId: 7, path });
const upload = { token: "flp_x", sentryToken: "", scopes: ["upload"] };

const cases: [what: string, sentryToken: string, path: string | undefined, exports: string[]][] = [
  ["the spelling of Sentry's tools says the rest", "sntrys_a_b", "acme/web", ["AUTH_TOKEN=sntrys_a_b", "PROJECT=web"]],
  [
    "a plain token needs address and organization beside it",
    "",
    "acme/team/web",
    [`URL=${origin}`, "ORG=acme", "AUTH_TOKEN=flp_x", "PROJECT=team~web"],
  ],
  [
    "a path of one part has the organization -",
    "",
    "web",
    [`URL=${origin}`, "ORG=-", "AUTH_TOKEN=flp_x", "PROJECT=web"],
  ],
  [
    "without a project they are those of an example",
    "",
    undefined,
    [`URL=${origin}`, "ORG=acme", "AUTH_TOKEN=flp_x", "PROJECT=web"],
  ],
];
for (const [what, sentryToken, path, exports] of cases) {
  example(what, () => {
    const place = { origin, project: path === undefined ? undefined : project(path) };
    const lines = exampleOf({ ...upload, sentryToken }, place).split("\n");
    assert.equal(
      lines.filter((line) => line.startsWith("export ")),
      exports.map((one) => `export SENTRY_${one}`),
    );
    assert.equal(lines.slice(-2), [
      "npx @sentry/cli sourcemaps inject ./dist",
      "npx @sentry/cli sourcemaps upload ./dist",
    ]);
  });
}

example("a token that reads lists client keys", () => {
  assert.is(
    exampleOf({ ...upload, scopes: ["read_api"] }, { origin, project: project("acme/web") }),
    `curl -H 'PRIVATE-TOKEN: flp_x' '${origin}/api/v4/projects/7/error_tracking/client_keys'`,
  );
});

example.run();
