import { suite } from "uvu";
import * as assert from "uvu/assert";
import { crashFreeText } from "../../../console/src/routes/[...project]/-/error_tracking/releases/crash-free.ts";

const shares = suite("crash-free share");

for (const [percent, text] of [
  [100, "100\u00a0%"],
  [99.9999999, "99.99\u00a0%"],
  [99.995, "99.99\u00a0%"],
  [99.95, "99.95\u00a0%"],
  [99.29, "99.29\u00a0%"],
  [99, "99\u00a0%"],
  [98.99, "98.9\u00a0%"],
  [88.28125, "88.2\u00a0%"],
  [50, "50\u00a0%"],
  [0.1, "0.1\u00a0%"],
  [0.04, "< 0.1\u00a0%"],
  [0, "0\u00a0%"],
] as const) {
  shares(`${percent} is ${text}`, () => assert.is(crashFreeText(percent), text));
}

shares("a single crash is never hidden, among however many sessions", () => {
  for (let total = 2; total <= 2 ** 32; total *= 2) {
    assert.is.not(crashFreeText(((total - 1) / total) * 100), crashFreeText(100), `1 of ${total}`);
  }
});

shares("a single session that did not crash is never hidden", () => {
  for (let total = 2; total <= 2 ** 32; total *= 2) {
    assert.is.not(crashFreeText((1 / total) * 100), crashFreeText(0), `1 of ${total}`);
  }
});

shares("a share of two digits is shown as it is, whatever its floating point makes of it", () => {
  for (let hundredths = 9900; hundredths < 10_000; hundredths++) {
    assert.is(crashFreeText((hundredths / 10_000) * 100), `${hundredths / 100}\u00a0%`);
  }
});

shares.run();
