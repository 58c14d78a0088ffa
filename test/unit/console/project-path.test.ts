import { suite } from "uvu";
import * as assert from "uvu/assert";
import { suggestedPath } from "../../../console/src/lib/project-path.ts";
import { threadMs } from "../../support/service/thread-time.ts";
import { projectPath } from "../../../backend/src/services/projects/project-service.ts";

const paths = suite("suggested path");

const names: [name: string, path: string][] = [
  ["Web Shop", "web-shop"],
  ["  Web  Shop!  ", "web-shop"],
  ["Acme/Web", "acme/web"],
  ["Acme / Web Shop", "acme/web-shop"],
  ["Café Élan", "cafe-elan"],
  ["shop.example v2.0", "shop.example-v2.0"],
  ["snake_case", "snake_case"],
  ["_private", "_private"],
  ["-dash-", "dash"],
  ["../../etc/passwd", "etc/passwd"],
  ["a//b///c", "a/b/c"],
  ["a/./b/../c", "a/b/c"],
  ["a/b/c/d/e/f/g", "a/b/c/d/e"],
  ["R&D <script>", "r-d-script"],
  ["Ⅷ ﬁne", "viii-fine"],
  ["x".repeat(300), "x".repeat(255)],
  [`${"x".repeat(254)}/y`, "x".repeat(254)],
];

for (const [name, path] of names) {
  paths(`${JSON.stringify(name.slice(0, 30))} becomes ${path.slice(0, 30)}, which the service takes`, () => {
    assert.is(suggestedPath(name), path);
    assert.is(projectPath(suggestedPath(name)), path);
  });
}

for (const name of ["", "   ", "東京", "!!!", "/", "../..", "\u0000\u202e"]) {
  paths(`${JSON.stringify(name)} has no suggestion`, () => assert.is(suggestedPath(name), ""));
}

paths("a name of a megabyte takes no time", () => {
  const ms = threadMs(() => {
    suggestedPath("- /".repeat(300_000));
    suggestedPath(`a${"-".repeat(300_000)}b`);
  });
  assert.ok(ms < 2000, `${ms} ms`);
});

paths.run();
