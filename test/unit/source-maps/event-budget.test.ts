import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { EventBudget } from "../../../plugins/source-maps/src/events/reading.ts";

test("a part counts once, and a part without room takes none from others", () => {
  const budget = new EventBudget(100);
  assert.ok(budget.admits("a", 60));
  assert.not(budget.admits("b", 50));
  assert.ok(budget.admits("c", 40));
  assert.ok(budget.admits("a", 60));
  assert.not(budget.takes(1));
});

test("the work ends when the caller has left, and does not begin where it left before", async () => {
  const caller = new AbortController();
  const budget = new EventBudget(100, caller.signal);
  await budget.next();
  caller.abort();
  for (const ended of [budget, new EventBudget(100, caller.signal)]) {
    const error = await ended.next().catch((thrown: unknown) => thrown);
    assert.instance(error, ServiceError);
    assert.is((error as ServiceError).reason, ErrorReason.OVERLOADED);
  }
});

test.run();
