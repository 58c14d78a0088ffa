import { test } from "uvu";
import { check } from "./claim.ts";
import { claims } from "./claims.ts";

const seed = Number(process.env["FAULTLINE_TEST_SEED"] ?? 1);

// `npm run test:fuzz` tries 200,000.
for (const { claim, property } of claims)
  test(`500 tries with seed ${seed}: ${claim}`, () => check(property, { runs: 500, seed }));
test.run();
