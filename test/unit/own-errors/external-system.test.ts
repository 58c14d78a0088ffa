import type { JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readStatement } from "../../../backend/src/host/own-errors/external-system.ts";

const statements = suite("what an external system says of itself");

const versions: [json: JsonValue, version: string | undefined][] = [
  [{ version: { current: "21.5.0", latest: "25.1.0", build: "abc", upgradeAvailable: true } }, "21.5.0"],
  [{ version: { current: "24.9.0.dev0+4ab1f2c" } }, "24.9.0"],
  [{ version: { current: "9.1.2" } }, "9.1.2"],
  [{ version: { current: "21.5" } }, "21.5"],
  [{ version: { current: "21.4.1-rc.1" } }, "21.4.1"],
  [{ version: "21.5.0" }, "21.5.0"],
  [{ version: "0" }, undefined],
  [{ version: { current: "21" } }, undefined],
  [{ version: { current: 21.5 } }, undefined],
  [{ version: ["21.5.0"] }, undefined],
  [{ version: { current: "21.5.0<script>" } }, undefined],
  [{ version: { current: `21.${"5".repeat(1000)}` } }, undefined],
  [{ version: null }, undefined],
  [[], undefined],
  ["<html>", undefined],
  [null, undefined],
];
for (const [json, version] of versions) {
  statements(`the version of ${JSON.stringify(json).slice(0, 60)} is ${version}`, () =>
    assert.equal(readStatement(json), version === undefined ? { kind: "silent" } : { kind: "version", version }),
  );
}

for (const [json, kind] of [
  [{ version: { current: "10.0.0" }, isSelfHosted: false }, "exempt"],
  [{ version: { current: "10.0.0" }, isOnPremise: false, isSelfHosted: false }, "exempt"],
  [{ version: { current: "10.0.0" }, isOnPremise: false }, "exempt"],
  [{ version: { current: "10.0.0" }, isSelfHosted: true, isOnPremise: false }, "version"],
  [{ version: { current: "10.0.0" }, isSelfHosted: "false" }, "version"],
] as const) {
  statements(`${JSON.stringify(json)} is ${kind}`, () => assert.is(readStatement(json).kind, kind));
}

statements.run();
