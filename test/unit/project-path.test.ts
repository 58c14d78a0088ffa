import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refusal } from "../support/assert/refusal.ts";
import { threadMs } from "../support/service/thread-time.ts";
import { projectName, projectPath } from "../../backend/src/services/projects/project-service.ts";

const paths = suite("project path");

const taken: [text: string, path: string][] = [
  ["web", "web"],
  ["acme/web", "acme/web"],
  ["Acme/Web.Shop_2-x", "Acme/Web.Shop_2-x"],
  ["_a/1", "_a/1"],
  ["a/b/c/d/e", "a/b/c/d/e"],
  [" /acme/web/ ", "acme/web"],
  ["acme/api", "acme/api"],
  ["apiary", "apiary"],
  ["errortracking", "errortracking"],
  ["errortracking/web", "errortracking/web"],
  ["x".repeat(255), "x".repeat(255)],
];

for (const [text, path] of taken) paths(`"${text.slice(0, 20)}" is a path`, () => assert.is(projectPath(text), path));

const refused = [
  "",
  "  ",
  "/",
  "acme//web",
  "a/b/c/d/e/f",
  "acme/../web",
  "acme/.web",
  "-acme",
  "acme web",
  "acme/wéb",
  "acme\\web",
  "acme/web?x",
  "acme%2fweb",
  "acme\u0000",
  "api",
  "API/v4",
  "errortracking/api",
  "ErrorTracking/API/v1",
  "admin/x",
  "_app/x",
  "favicon.ico",
  "robots.txt",
  "x".repeat(256),
];

for (const text of refused) {
  paths(`${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    const { reason, field } = refusal(() => projectPath(text));
    assert.is(reason, ErrorReason.INVALID_FIELD);
    assert.is(field, "path");
  });
}

paths("a megabyte of slashes is refused without work", () => {
  const ms = threadMs(() => refusal(() => projectPath(`a${"/".repeat(1_000_000)}a`)));
  assert.ok(ms < 1000); // a pattern that looks for the last slashes took minutes
});

paths.run();

const names = suite("project name");

names("a name is trimmed and may hold anything", () => assert.is(projectName(" Größe <b> 東京 "), "Größe <b> 東京"));

for (const text of ["", "  ", "x".repeat(256)]) {
  names(`a name of ${text.length} is refused`, () => assert.is(refusal(() => projectName(text)).field, "name"));
}

names.run();
