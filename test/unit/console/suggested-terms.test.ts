import { suite } from "uvu";
import * as assert from "uvu/assert";
import { finishedSearch } from "../../../console/src/lib/search/suggested-terms.ts";

const terms = suite("the finished part of a search");

/** Typed texts, and the part that is searched for while someone types. */
const table: readonly (readonly [typed: string, finished: string])[] = [
  ["", ""],
  ["card", "card"],
  ["card refu", "card refu"],
  ["environment:", ""],
  ["card environment:", "card "],
  ["environment:prod", ""],
  ["environment:production ", "environment:production "],
  ["card !release:>=1.", "card "],
  ["has:us", ""],
  ["lastSeen:-7", ""],
  ["is:unr", ""],
  ["is:unr card", "is:unr card"], // is refused, in words
  ['"out of', ""],
  ['"out of memory"', '"out of memory"'],
  ['browser:"Chrome 131"', 'browser:"Chrome 131"'],
  ["browser:[Chrome, Ed", ""],
  ["browser:[Chrome, Edge]", "browser:[Chrome, Edge]"],
  ["card OR", "card "],
  ["TypeError:", ""],
  ['browser:""', ""],
  ['card "a \\" b', "card "],
  ["!tags[two words]:x", ""],
  ["https://h.example/a", "https://h.example/a"],
  ["card !", "card !"],
  ["TypeError: x", "TypeError: x"],
];

for (const [typed, finished] of table) {
  terms(`“${typed}” is searched for as “${finished}”`, () => assert.is(finishedSearch(typed), finished));
}

terms.run();
