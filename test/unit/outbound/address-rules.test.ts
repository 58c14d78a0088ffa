import { networksOf } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  forbiddenIpv4,
  forbiddenIpv6,
  longSpellings,
  privateIpv4,
  privateIpv6,
  specialIpv4,
  specialIpv6,
  spellings,
} from "../../support/external/refused-urls.ts";
import { AddressRules } from "../../../backend/src/host/outbound/outbound-client.ts";

/** A machine without addresses. */
const nowhere = networksOf([]);
const nothing = new AddressRules([]);
const everything = new AddressRules(["0.0.0.0/0", "::/0"]);

const publicAddresses = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2000::",
  "2001:200::1",
  "2001:db7:ffff::1",
  "2001:db9::1",
  "2003::1",
  "2606:4700:4700::1111",
  "2a00::1",
  "3ffe:ffff::1",
  "3fff:1000::1",
];
for (const address of publicAddresses) {
  test(`${address} is public`, () => {
    assert.ok(nothing.allows(address, nowhere));
    assert.ok(everything.allows(address, nowhere));
  });
}

for (const address of [...privateIpv4, ...privateIpv6.flatMap(longSpellings)]) {
  test(`${address} is private: refused, and allowed by the operator alone`, () => {
    assert.not(nothing.allows(address, nowhere));
    assert.ok(everything.allows(address, nowhere));
  });
}

const never = [
  ...forbiddenIpv4,
  ...specialIpv4,
  ...[...forbiddenIpv6, ...specialIpv6].flatMap(longSpellings),
  ...[...privateIpv4, ...forbiddenIpv4, "1.1.1.1"].flatMap((address) => spellings(address).ipv6),
];
for (const address of never) {
  test(`${address} is refused whatever is allowed`, () => {
    assert.not(nothing.allows(address, nowhere));
    assert.not(everything.allows(address, nowhere));
  });
}

test("the operator allows only what is named", () => {
  const rules = new AddressRules(["10.1.0.0/16", "192.168.1.7", "fd12::/16"]);
  const allowed = ["10.1.0.0", "10.1.255.255", "192.168.1.7", "fd12::1"];
  const refused = ["10.0.255.255", "10.2.0.0", "192.168.1.8", "192.168.1.6", "fd13::1", "127.0.0.1", "::1"];
  assert.equal(
    [...allowed, ...refused].filter((address) => rules.allows(address, nowhere)),
    allowed,
  );
});

test("a public address of this machine is refused, however it is written, unless the operator allows it", () => {
  const thisMachine = networksOf(["1.1.1.1", "2606:4700::1", "10.0.0.5", "169.254.0.7", "198.51.100.7"]);
  const ours = ["1.1.1.1", "2606:4700::1", "2606:4700:0:0::1"];
  const named = new AddressRules(["1.1.1.1", "2606:4700::1", "169.254.0.7", "198.51.100.7"]);
  for (const address of ours) {
    assert.not(nothing.allows(address, thisMachine), address);
    assert.ok(named.allows(address, thisMachine), address);
    assert.ok(everything.allows(address, thisMachine), address);
  }
  assert.ok(nothing.allows("1.1.1.2", thisMachine));
  for (const address of ["10.0.0.5", "169.254.0.7", "198.51.100.7"]) assert.not(named.allows(address, thisMachine));
});

test("a subnet of mapped addresses allows none of them", () => {
  const rules = new AddressRules(["::ffff:10.0.0.0/104", "10.0.0.0/8"]);
  assert.not(rules.allows("::ffff:10.0.0.1", nowhere));
  assert.not(rules.allows("::ffff:a00:1", nowhere));
  assert.ok(rules.allows("10.0.0.1", nowhere));
});

for (const text of ["", "localhost", "10.1", "2130706433", "1.1.1.1.", " 1.1.1.1", "2000::1%eth0", "[2000::1]"]) {
  test(`"${text}" is not an address and is refused`, () => assert.not(everything.allows(text, nowhere)));
}

test.run();
