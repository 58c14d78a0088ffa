import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TrackedEvent } from "../../../console/src/lib/messages.ts";
import { trimNotes } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trim-notes.ts";

type Trim = TrackedEvent["trimmed"][number];

const entries = (part: string, kept: number, sent: number): Trim => ({ part, kept, sent, unit: "TRIM_UNIT_ENTRIES" });
const text = (part: string, kept: number, sent: number): Trim => ({ part, kept, sent, unit: "TRIM_UNIT_CHARACTERS" });
const data = (part: string): Trim => ({ part, kept: 0, sent: 0, unit: "TRIM_UNIT_UNSPECIFIED" });

const notes = suite("trim notes");

const cases: [claim: string, trim: Trim, part: string, found: string][] = [
  ["a list", entries("breadcrumbs", 100, 10_000), "breadcrumbs", "breadcrumbs: 100 of 10,000 shown"],
  ["a list within", entries("exceptions[0].frames", 250, 300), "exceptions[0]", "frames: 250 of 300 shown"],
  [
    "source lines",
    entries("exceptions[0].frames context", 50, 250),
    "exceptions[0]",
    "frames with source: 50 of 250 shown",
  ],
  ["a text", text("message", 8192, 200_000), "message", "message: 8,192 of 200,000 characters shown"],
  ["a text within", text("tags.cart", 200, 300), "tags", "cart: 200 of 300 characters shown"],
  ["a text left out", text("environment", 0, 300), "environment", "environment: 0 of 300 characters shown"],
  ["free data", data("extra.cart"), "extra", "cart: some left out"],
  ["free data as a whole", data("request.data"), "request.data", "request.data: some left out"],
];

for (const [claim, trim, part, found] of cases) {
  notes(`they mention ${claim}`, () => assert.equal(trimNotes([trim], part), [found]));
}

notes("they mention no other parts, even when these begin alike", () => {
  const others = [entries("tagsets", 1, 2), data("extra.tags"), text("exceptions[10].type", 256, 300)];
  for (const part of ["tags", "exceptions[1]", "user"]) assert.equal(trimNotes(others, part), []);
});

notes("they mention a list without its entries, which have notes of their own", () => {
  const trimmed = [entries("exceptions", 50, 60), entries("exceptions[0].frames", 250, 300)];
  assert.equal(trimNotes(trimmed, "exceptions"), ["exceptions: 50 of 60 shown"]);
});

notes("they mention five and count the others", () => {
  const trimmed = (count: number) => Array.from({ length: count }, (_, index) => data(`extra.k${index}`));
  assert.is(trimNotes(trimmed(5), "extra").length, 5);
  assert.is(trimNotes(trimmed(8), "extra").at(-1), "3 more");
});

notes.run();
