import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadCommands } from "../../../console/src/routes/-/profile/personal_access_tokens/upload-commands.ts";

const commands = suite("the commands that upload source maps with a new token");

const origin = "https://errors.example.com";
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
  commands(what, () => {
    const lines = uploadCommands({ token: "flp_x", sentryToken, origin, path }).split("\n");
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

commands.run();
