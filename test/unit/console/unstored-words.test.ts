import { suite } from "uvu";
import * as assert from "uvu/assert";
import { replayedWords, type Replayed } from "../../../console/src/lib/ingestion/unstored-words.ts";

const words = suite("what became of what was tried again");
const comesBack = "Items that still cannot be stored reappear here within seconds.";

const rows: [done: Partial<Replayed>, text: string][] = [
  [{}, "0 events stored."],
  [{ stored: 1 }, "1 event stored."],
  [{ failed: 2 }, "0 events stored. 2 events could not be stored again."],
  [{ accepted: 1 }, `1 item was queued again. ${comesBack}`],
  [
    { stored: 1, accepted: 1_000, failed: 1, left: 4_000 },
    `1 event stored. 1,000 items were queued again. ${comesBack} 1 event could not be stored again. 4,000 more were not tried yet: try again.`,
  ],
];
for (const [done, text] of rows) {
  words(text, () => {
    assert.is(replayedWords({ stored: 0, failed: 0, accepted: 0, left: 0, ...done }), text);
  });
}
words.run();
