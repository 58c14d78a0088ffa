import { test } from "uvu";
import * as assert from "uvu/assert";
import { bombard } from "../../fuzz/bombardment.ts";

const runs = 2_000;
const seed = Number(process.env["FAULTLINE_TEST_SEED"] ?? 1);

// `npm run test:fuzz` sends 200,000.
test(`${runs} generated and damaged requests of seed ${seed} are answered and stored as they should`, async () => {
  const { statuses, storedCount, sessionCount } = await bombard({ runs, seed });
  // Else what is sent gets no further than the first check.
  assert.ok((statuses["200"] ?? 0) > runs / 4, JSON.stringify(statuses));
  assert.ok(storedCount > runs / 10, `${storedCount}`);
  assert.ok(sessionCount > runs / 10, `${sessionCount}`);
});

test.run();
