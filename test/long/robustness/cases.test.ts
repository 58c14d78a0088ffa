import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";

/** Of section 11 of the protocol reference. */
const caseCount = 117;

const flows = join(import.meta.dirname, "..");
const rows = globSync("**/robustness/*.test.ts", { cwd: flows })
  .flatMap((file) => [...readFileSync(join(flows, file), "utf8").matchAll(/\bnumber: (\d+),/g)])
  .map(([, number]) => Number(number));

test(`each of the ${caseCount} cases of the protocol reference has a row in a folder of that name`, () => {
  const numbers = Array.from({ length: caseCount }, (_, index) => index + 1);
  assert.equal(
    numbers.filter((number) => !rows.includes(number)),
    [],
  );
});

test("no row has a number that the reference does not know", () => {
  assert.equal(
    rows.filter((number) => number < 1 || number > caseCount),
    [],
  );
});

test.run();
