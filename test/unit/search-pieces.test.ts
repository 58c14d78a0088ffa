import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chosenPieces, hasPieces } from "../../plugins/integrated-backend/src/search/planning/pieces.ts";

const test = suite("pieces of searches");

const looked: readonly (readonly [form: string, isLookedUp: boolean])[] = [
  ["", false],
  ["a", false],
  ["zq", true],
  ["Zq", true],
  ["错误", true], // no capitals
  ["üb", false], // capitals, by two alphabets
  ["übe", true],
  ["💥💥", true],
  ["💥", false],
];
for (const [form, isLookedUp] of looked) {
  test(`the index ${isLookedUp ? "looks up" : "cannot look up"} "${form}"`, () => {
    assert.is(hasPieces([form]), isLookedUp);
  });
}

/** 100 texts: all have "error in", every second "card", one "zebra". */
const texts = Array.from({ length: 100 }, (_, n) => `Error in ${n % 2 ? "card" : "cart"} ${n === 7 ? "zebra" : n}`);

const chosen: readonly (readonly [claim: string, words: string[][], pieces: string[][][], found: number])[] = [
  ["a word of two letters is looked up whole, in small letters", [["CA"]], [[["ca"]]], 100],
  ["of a common word one piece is enough", [["Error in"]], [[["Err"]]], 100],
  ["of common pieces the one that rules out the most", [["Error in card"]], [[["ard"]]], 50],
  ["rare pieces cost nothing", [["zebra"]], [[["zeb", "ebr", "bra"]]], 1],
  ["words that rule out little are left to the rows", [["Error"], ["card"]], [[["ard"]]], 50],
  ["of the forms of a word a text needs one", [["card", "zebra"]], [[["ard"], ["zeb", "ebr", "bra"]]], 50],
];
for (const [claim, words, pieces, found] of chosen) {
  test(claim, () => {
    const answer = chosenPieces(words, texts);
    assert.equal(answer.pieces, pieces);
    assert.is(answer.found.filter(Boolean).length, found);
  });
}

test("a piece that most texts have, some of them repeatedly, is not looked up to rule out a few", () => {
  const some = Array.from({ length: 100 }, (_, n) => `${n < 20 ? "zebra" : "horse"} ${n < 7 ? "seldom" : "often"}`);
  const { pieces, found } = chosenPieces([["zebra"], ["often"]], some);
  assert.equal(pieces, [[["zeb"]]]);
  assert.is(found.filter(Boolean).length, 20);
});

test("long searches try a bounded number of pieces", () => {
  const words = Array.from({ length: 50 }, (_, n) => [`w${n}abcdef`]);
  assert.ok(chosenPieces(words, texts).pieces.every((forms) => forms.every((pieces) => pieces.length === 1)));
});

test.run();
