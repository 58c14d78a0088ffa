import { maxBytesUnderWay, MemoryReservation } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";

const mib = 1024 * 1024;

test("several requests of one holder get 32 MiB together, and another holder still gets more", () => {
  using one = new MemoryReservation("user 1");
  using two = new MemoryReservation("user 1");
  using other = new MemoryReservation("user 2");
  assert.ok(one.hold(20 * mib));
  assert.ok(two.hold(12 * mib));
  assert.not.ok(two.hold(13 * mib));
  assert.is(two.bytes, 12 * mib);
  assert.ok(other.hold(20 * mib));
});

test("one request alone may take more than several", () => {
  using one = new MemoryReservation("user 1");
  assert.ok(one.hold(60 * mib));
});

test("everything but ingestion gets half of the budget, whoever asks", () => {
  const holders = Array.from({ length: 4 }, (_, n) => new MemoryReservation(`user ${n}`));
  for (const holder of holders) assert.ok(holder.hold(16 * mib));
  using late = new MemoryReservation("user 9");
  assert.not.ok(late.hold(1));
  using event = new MemoryReservation();
  assert.ok(event.hold(maxBytesUnderWay - 64 * mib));
  assert.not.ok(event.hold(maxBytesUnderWay - 64 * mib + 1));
  for (const holder of holders) holder[Symbol.dispose]();
  assert.ok(late.hold(1));
  assert.ok(event.hold(maxBytesUnderWay - 1));
});

test("a request that has ended holds nothing, also when a part of it comes late", () => {
  const over = new MemoryReservation("user 1");
  assert.ok(over.hold(32 * mib));
  over[Symbol.dispose]();
  assert.not.ok(over.hold(1));
  over[Symbol.dispose]();
  using next = new MemoryReservation("user 1");
  using beside = new MemoryReservation("user 1");
  assert.ok(next.hold(16 * mib));
  assert.ok(beside.hold(16 * mib));
});

test.run();
