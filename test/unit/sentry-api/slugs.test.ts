import { test } from "uvu";
import * as assert from "uvu/assert";
import { isOf, organizationId, pathOf, slugsOf } from "../../../plugins/sentry-api/src/slugs.ts";

for (const [path, organization, project] of [
  ["acme/web", "acme", "web"],
  ["acme/team/web", "acme", "team~web"],
  ["a/b/c/d/e", "a", "b~c~d~e"],
  ["web", "-", "web"],
  ["_x/y.z-1", "_x", "y.z-1"],
] as const) {
  test(`${path} is ${organization} and ${project}, and back`, () => {
    assert.equal(slugsOf(path), { organization, project });
    assert.is(pathOf({ organization, project }), path);
  });
}

for (const [organization, project] of [
  ["", "web"],
  ["acme", ""],
  ["acme", "team/web"],
  ["acme/team", "web"],
  ["-", "acme~web"],
  ["-", "acme/web"],
] as const) {
  test(`no path is ${organization || "nothing"} and ${project || "nothing"}`, () =>
    assert.is(pathOf({ organization, project }), undefined));
}

test("organizations know no case, and have one id for ever", () => {
  assert.ok(isOf("ACME", "acme/web"));
  assert.not(isOf("acm", "acme/web"));
  assert.ok(isOf("-", "web"));
  assert.is(organizationId("acme"), organizationId("Acme"));
  assert.is(organizationId("acme"), "559070555527");
});

test.run();
