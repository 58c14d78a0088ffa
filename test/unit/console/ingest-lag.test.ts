import { suite } from "uvu";
import * as assert from "uvu/assert";
import { currencyOf, lagWords, type Currency } from "../../../console/src/lib/live/ingest-lag.ts";

const currency = suite("how current a page is");
const current: Currency = { kind: "current" };
const until = Date.UTC(2026, 10, 22, 12, 3, 7, 900);
const behind: Currency = { kind: "behind", until };
const storedUntilTime = new Date(until).toISOString();

const rows: [lagMilliseconds: number, before: Currency, kind: Currency["kind"]][] = [
  [0, current, "current"],
  [2_000, current, "current"],
  [2_001, current, "behind"],
  [1_500, behind, "behind"],
  [1_001, behind, "behind"],
  [1_000, behind, "current"],
  [1_500, { kind: "unknown", until }, "behind"],
  [0, { kind: "unknown", until }, "current"],
];
for (const [lag, before, kind] of rows) {
  currency(`a lag of ${lag} ms after ${before.kind} is ${kind}`, () => {
    assert.is(currencyOf({ known: true, storedUntilTime, lagMilliseconds: String(lag) }, before).kind, kind);
  });
}

currency("what is not known is never taken for current", () => {
  assert.equal(currencyOf({ known: false, storedUntilTime, lagMilliseconds: "0" }, current), {
    kind: "unknown",
    until,
  });
  assert.equal(currencyOf({ known: false, lagMilliseconds: "0" }, current), { kind: "unknown", until: 0 });
});
currency.run();

const words = suite("words of the lag");
const now = Date.UTC(2026, 10, 22, 12, 5);
const sentence = (given: Currency, at = now, zone = "UTC") => {
  const note = lagWords(given, at, zone);
  return note === undefined ? "" : `${note.before}${note.time}${note.after} ${note.more}`;
};

words("nothing is shown while it is current", () => {
  assert.is(sentence(current), "");
});

words("the time is that of the reader's zone, cut to the second, with the day where it is another one", () => {
  assert.is(sentence(behind), "You see events up to 12:03:07. Newer events are waiting to be stored.");
  assert.match(sentence(behind, now, "Asia/Kolkata"), "up to 17:33:07.");
  assert.match(sentence(behind, Date.UTC(2026, 10, 23, 0, 1)), "up to 22 Nov, 12:03:07.");
  // Already tomorrow where the reader is, both then and now.
  assert.match(sentence(behind, now, "Pacific/Kiritimati"), "up to 02:03:07.");
});

words("what is not known is said without a time where there never was one", () => {
  const more = "It is not known how many are waiting to be stored.";
  assert.is(sentence({ kind: "unknown", until }), `Events after 12:03:07 may be missing. ${more}`);
  assert.is(sentence({ kind: "unknown", until: 0 }), `Newer events may be missing. ${more}`);
});
words.run();
