import type { Piece, Pieces } from "../../storage.ts";

/** Maximum pieces of a form. More add little: a third piece would rule out few of the errors that the second leaves. */
const piecesOfForm = 4;

/** Maximum pieces that are searched for in the drawn texts: 32 take 1 ms. */
const triedPieces = 32;

/** A piece in a smaller fraction of errors costs the index nothing. */
const rare = 0.02;

/** A common piece is worth its list only if it rules out this fraction of the remaining texts, */
const worthwhile = 0.3;

/**
 * and this fraction of its list: each entry costs a tenth of comparing a text (0.1 microseconds, PostgreSQL).
 */
const worthwhileOfList = 0.1;

/** Whether the index can look up a text. Each form needs two letters, or three outside of ASCII. */
export function hasPieces(forms: readonly string[]): boolean {
  return forms.every((form) => {
    const { length } = Array.from(form);
    return length >= 3 || (length === 2 && hasOneForm(form));
  });
}

/**
 * Whether a form has only ASCII letters and characters without case. The index has pairs in lower case, by different
 * case rules than JavaScript's.
 */
function hasOneForm(form: string): boolean {
  return Array.from(form).every((letter) => letter <= "\x7f" || letter.toLowerCase() === letter.toUpperCase());
}

/**
 * Chooses the few pieces that rule out the most texts of a sample, and returns which texts have these pieces. Lists of
 * common pieces cost the index the most: all pieces of 40 letters took 46 ms, the rarest of them 4 ms.
 */
export function chosenPieces(
  words: readonly (readonly string[])[],
  texts: readonly string[],
): { readonly pieces: Pieces; readonly found: readonly boolean[] } {
  const most = Math.max(1, Math.floor(triedPieces / words.flat().length));
  const small = texts.map((text) => text.toLowerCase());
  const byRarity = words
    .map((forms) => forms.map((form) => piecesOf(form, most, small)))
    .map((forms) => ({ forms, having: small.filter((text) => hasOne(text, forms)) }))
    .map((word) => ({ ...word, distinct: new Set(word.having) }))
    .toSorted((a, b) => a.having.length - b.having.length);

  const chosen: (typeof byRarity)[number][] = [];
  let left = small;
  for (const word of byRarity) {
    const both = left.filter((text) => word.distinct.has(text));
    if (chosen.length > 0 && !isWorthwhile(word.having.length, both.length, left.length, small.length)) continue;
    chosen.push(word);
    left = both;
  }
  const found = small.map((text) => chosen.every(({ distinct }) => distinct.has(text)));
  return { pieces: chosen.map(({ forms }) => forms), found };
}

const hasOne = (text: string, forms: readonly (readonly Piece[])[]) =>
  forms.some((pieces) => pieces.every((piece) => text.includes(piece.toLowerCase())));

/** Whether to look up a piece that `having` of all texts have, and `both` of the `left` texts. */
function isWorthwhile(having: number, both: number, left: number, all: number): boolean {
  return having <= rare * all || (both <= (1 - worthwhile) * left && left - both >= worthwhileOfList * having);
}

function piecesOf(form: string, most: number, texts: readonly string[]): Piece[] {
  const letters = Array.from(form);
  if (letters.length < 3) return [form.toLowerCase()];
  const all = [...new Set(letters.slice(2).map((letter, n) => `${letters[n] ?? ""}${letters[n + 1] ?? ""}${letter}`))];
  const step = Math.max(1, all.length / most);
  const tried = Array.from({ length: Math.min(most, all.length) }, (_, n) => all[Math.floor(n * step)] ?? form);
  const byRarity = tried
    .map((piece) => ({ piece, having: texts.filter((text) => text.includes(piece.toLowerCase())) }))
    .toSorted((a, b) => a.having.length - b.having.length);

  const chosen: Piece[] = [];
  let left = texts;
  for (const { piece, having } of byRarity) {
    if (chosen.length === piecesOfForm) break;
    const both = left.filter((text) => text.includes(piece.toLowerCase()));
    if (chosen.length > 0 && !isWorthwhile(having.length, both.length, left.length, texts.length)) continue;
    chosen.push(piece);
    left = both;
  }
  return chosen;
}
