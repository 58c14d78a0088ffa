import { suite } from "uvu";
import * as assert from "uvu/assert";
import { senderNetwork } from "@faultline/plugin";
import { BusiestNetworks } from "../../backend/src/services/client-keys/key-traffic.ts";

const test = suite("busiest networks");

test("few networks are counted exactly, in the order of what they sent", () => {
  const busiest = new BusiestNetworks();
  for (let n = 0; n < 50; n++) for (let times = 0; times <= n; times++) busiest.add(`10.0.${n}.0/24`, 2);
  const counts = busiest.counts(3);
  assert.equal(counts, [
    ["10.0.49.0/24", 100],
    ["10.0.48.0/24", 98],
    ["10.0.47.0/24", 96],
    ["", 2256],
  ]);
});

test("however many others send, a network that sends more than a hundredth is found, and all counts add up", () => {
  const busiest = new BusiestNetworks();
  let sent = 0;
  for (let n = 0; n < 100_000; n++) {
    const isHeavy = n > 50_000 && n % 20 === 0; // it begins late
    busiest.add(isHeavy ? "203.0.113.0/24" : `10.${n >> 8}.${n & 255}.0/24`, 1);
    if (isHeavy) sent++;
  }
  const counts = busiest.counts(50);
  const [[network, quantity] = []] = counts;
  assert.is(network, "203.0.113.0/24");
  assert.ok(quantity !== undefined && quantity > 0.9 * sent && quantity <= sent, `${quantity} of ${sent}`);
  assert.is(
    counts.reduce((sum, [, count]) => sum + count, 0),
    100_000,
  );
  assert.is(counts.at(-1)?.[0], "");
});

for (const [address, network] of [
  ["198.51.100.7", "198.51.100.0/24"],
  ["::ffff:198.51.100.7", "198.51.100.0/24"],
  ["2001:db8::7", "2001:db8:0:0::/64"],
  ["2001:DB8:0:1:2:3:4:5%eth0", "2001:db8:0:1::/64"],
  ["", ""],
] as const) {
  test(`a sender at "${address}" is of the network "${network}"`, () => {
    assert.is(senderNetwork(address), network);
    assert.is(senderNetwork(address), network); // remembered
  });
}

test.run();
