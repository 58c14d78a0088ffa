import { suite } from "uvu";
import * as assert from "uvu/assert";
import { byteSize, cappedNumber, counted, fullNumber, shortNumber } from "../../../console/src/lib/number-format.ts";

const numbers = suite("number format");

for (const [value, text] of [
  [0, "0"],
  [999, "999"],
  [1204, "1,204"],
  [9999, "9,999"],
  [10_000, "10k"],
  [12_399, "12.3k"],
  [999_999, "999.9k"],
  [1_000_000, "1M"],
  [1_299_999, "1.2M"],
] as const) {
  numbers(`${value} is ${text} in short`, () => assert.is(shortNumber(value), text));
}

numbers("a short number never says more than there is, and less by a tenth at most", () => {
  for (let value = 10_000; value < 1_000_000; value += 100) {
    assert.is(shortNumber(value), `${Math.floor(value / 100) / 10}k`);
  }
});

numbers("the full number has all digits", () => assert.is(fullNumber(1_234_567), "1,234,567"));

numbers("a count that the service stops at 1,000 says 999+", () => {
  assert.equal([0, 999, 1000, 1236].map(cappedNumber), ["0", "999", "999+", "999+"]);
});

numbers("only one is singular", () => {
  assert.equal(
    [0, 1, 2, 1204].map((count) => counted(count, "event")),
    ["0 events", "1 event", "2 events", "1,204 events"],
  );
});

for (const [bytes, text] of [
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [4_199, "4.1 kB"],
  [999_999, "999.9 kB"],
  [12_345_678, "12.3 MB"],
  [1_234_000_000, "1.2 GB"],
  [12_345_000_000_000, "12345 GB"],
] as const) {
  numbers(`${bytes} bytes are ${text}`, () => assert.is(byteSize(bytes), text));
}

numbers.run();
