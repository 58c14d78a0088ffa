import type { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StatusChangeLimit } from "../../backend/src/services/errors/status-change-limit.ts";

const test = suite("changes of status a minute");

const made = () => Promise.resolve("made");

/** How many of so many calls of 1,000 changes each are made. */
async function calls(limit: StatusChangeLimit, count: number, of: { userId: number; isUndo?: boolean }) {
  const all = Array.from({ length: count }, () => limit.within({ ...of, count: 1_000 }, made));
  return (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled").length;
}

/** Why changes are refused, and after how many seconds they may be made. */
const refusal = (limit: StatusChangeLimit, count: number) =>
  limit.within({ userId: 1, count }, made).then(
    () => undefined,
    ({ reason, message, retryAfterSeconds }: ServiceError) => {
      assert.is(reason, ErrorReason.RATE_LIMITED);
      return [retryAfterSeconds, message];
    },
  );

test("a person changes 5,000 statuses a minute, however many calls come simultaneously, and can undo them", async () => {
  const clock = { at: 0, now: () => clock.at };
  const limit = new StatusChangeLimit(clock);
  assert.is(await calls(limit, 230, { userId: 1 }), 5);
  assert.is(await calls(limit, 230, { userId: 1, isUndo: true }), 5);
  assert.is(await calls(limit, 1, { userId: 2 }), 1, "another person");
  assert.equal(await refusal(limit, 1_000), [
    12,
    "You can change the status of 5,000 errors per minute. Try these 1,000 errors again in 12 s. Nothing was changed.",
  ]);
  assert.is((await refusal(limit, 1))?.[0], 1);
  clock.at += 12_000;
  assert.is(await calls(limit, 230, { userId: 1 }), 1);
  clock.at -= 3_600_000;
  assert.is(await calls(limit, 1, { userId: 1 }), 0);
  clock.at += 60_000;
  assert.is(await calls(limit, 230, { userId: 1 }), 5);
});

test("a bulk update of more errors than a minute has counts as all of them", async () => {
  const clock = { at: 0, now: () => clock.at };
  const limit = new StatusChangeLimit(clock);
  await limit.within({ userId: 1, count: 250_000 }, made);
  assert.is((await refusal(limit, 250_000))?.[0], 60);
  clock.at += 60_000;
  assert.is(await refusal(limit, 250_000), undefined);
});

test("failed changes do not count, and of an estimate only the changes made", async () => {
  const limit = new StatusChangeLimit({ now: () => 0 });
  for (let n = 0; n < 20; n++) {
    const fails = () => Promise.reject(new Error("no such error"));
    await limit.within({ userId: 1, count: 1_000 }, fails).catch(() => undefined);
    await limit.within({ userId: 1, count: 1_000 }, made, () => 100);
  }
  assert.is(await calls(limit, 10, { userId: 1 }), 3);
});

test("plugins have no limit", async () => {
  assert.is(await calls(new StatusChangeLimit({ now: () => 0 }), 100, { userId: 0 }), 100);
});

test.run();
