import { test } from "uvu";
import * as assert from "uvu/assert";
import { overdue, withFlaky, withMeasured, type Ledger } from "../support/run/ledger.ts";

const empty: Ledger = { flaky: [], missed: [] };
const held = (bound: string) => ({ bound, isMet: true });
const failed = (bound: string) => ({ bound, isMet: false });

test("a flaky file keeps the date of its first time", () => {
  const first = withFlaky(empty, ["b.test.ts"], "2026-11-01");
  const second = withFlaky(first, ["b.test.ts", "a.test.ts"], "2026-11-05");
  assert.equal(second.flaky, [
    { file: "a.test.ts", date: "2026-11-05" },
    { file: "b.test.ts", date: "2026-11-01" },
  ]);
});

test("a flaky file is overdue after 14 days", () => {
  const ledger = withFlaky(empty, ["a.test.ts"], "2026-11-01");
  assert.equal(overdue(ledger, "2026-11-15"), []);
  assert.equal(overdue(ledger, "2026-11-16"), ledger.flaky);
});

test("a missed bound stays until it is measured and holds", () => {
  const missed = withMeasured(empty, [failed("memory"), held("time")], "2026-11-01");
  assert.equal(missed.missed, [{ bound: "memory", date: "2026-11-01" }]);
  assert.equal(withMeasured(missed, [held("time")], "2026-11-02"), missed);
  assert.equal(withMeasured(missed, [failed("memory")], "2026-11-02"), missed);
  assert.equal(withMeasured(missed, [held("memory")], "2026-11-02"), empty);
});

test.run();
