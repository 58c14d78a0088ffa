import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askOwner } from "../../../console/src/lib/failures/ask-owner.ts";

const asking = suite("ask an owner");

const cases: [owners: string[], words: string][] = [
  [[], "Ask an administrator."],
  [["Ann"], "Ask an owner: Ann."],
  [["Ann", "Bob", "Cy"], "Ask an owner: Ann, Bob, Cy."],
  [["Ann", "Bob", "Cy", "Di", "Ed"], "Ask an owner: Ann, Bob, Cy and 2 more."],
];

for (const [owners, words] of cases) {
  asking(`${owners.length} owners: ${words}`, () => assert.is(askOwner(owners), words));
}

asking.run();
