import type { JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { head } from "../../support/sentry/sentry-event.ts";

const levels = suite("levels");

for (const [sent, found] of [
  ["fatal", "fatal"],
  ["critical", "fatal"],
  [50, "fatal"],
  ["error", "error"],
  [40, "error"],
  ["warning", "warning"],
  ["warn", "warning"],
  [30, "warning"],
  ["30", "warning"],
  ["info", "info"],
  ["log", "info"],
  [20, "info"],
  ["debug", "debug"],
  [10, "debug"],
  [" Warning\n", "warning"],
  [35, "error"],
  ["loud", "error"],
  ["", "error"],
  [null, "error"],
  [{}, "error"],
] as [JsonValue, string][])
  levels(`a level of ${JSON.stringify(sent)} is ${found}`, () => {
    assert.is(head({ level: sent, exception: [{ type: "Boom", value: "bang" }] }).level, found);
  });

levels.run();
