import type { Log } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { patientExporter } from "../../plugins/opentelemetry/src/index.ts";

const failure = { code: 1, error: new Error("connect ECONNREFUSED") };

test("an event that cannot be sent is one warning a minute, and sent for the SDK", () => {
  const warnings: [fields: object, message: string][] = [];
  const never = () => assert.unreachable("not an error of ours");
  const log = { warn: (fields: object, message: string) => void warnings.push([fields, message]), error: never };
  const exporter = patientExporter({ export: (_, done) => done(failure), shutdown: () => Promise.resolve() }, {
    ...log,
    info: never,
    debug: never,
  } as Log);
  const codes: number[] = [];
  for (let n = 0; n < 5; n++) exporter.export([], ({ code }) => codes.push(code));
  assert.equal(codes, [0, 0, 0, 0, 0]);
  assert.equal(warnings, [
    [{ err: failure.error, lostSpans: 0 }, "traces cannot be sent to the collector; nothing else is affected"],
  ]);
});

test.run();
