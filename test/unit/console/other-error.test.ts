import { suite } from "uvu";
import * as assert from "uvu/assert";
import { namedError } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/grouping/other-error.ts";

const named = suite("an error that a person names to compare with");

const shown = { projectPath: "acme/web", errorId: "12" };

for (const typed of [
  "157",
  " #157 ",
  "WEB-157",
  "my-app.v2-157",
  "https://errors.example.com/acme/web/-/error_tracking/157/details?event=latest#why",
  "https://errors.example.com/Acme/Web/-/error_tracking/157",
  "/acme/web/-/error_tracking/157/details",
]) {
  named(`${typed} is the error 157`, () => assert.equal(namedError(typed, shown), { errorId: "157" }));
}

for (const [typed, refusal] of [
  ["", /^Enter the ID/],
  ["WEB-12", /^This is the error of this page/],
  ["0", /^Enter the ID/],
  ["TypeError", /^Enter the ID/],
  ["https://errors.example.com/%E0%A4%A/-/error_tracking/157", /^Enter the ID/],
  ["https://errors.example.com/acme/api/-/error_tracking/157/details", /^That error is in acme\/api\. Only errors/],
] as const) {
  named(`"${typed}" is refused with a sentence`, () => {
    const answer = namedError(typed, shown);
    assert.match("refusal" in answer ? answer.refusal : "", refusal);
  });
}

named.run();
