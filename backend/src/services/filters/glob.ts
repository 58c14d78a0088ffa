/** Comparisons for all `?` of the patterns that one event is matched with: some tenths of a millisecond. */
const mostCompared = 200_000;

/** The comparisons that an event may still cost, whatever its sender and the owner of the patterns wrote. */
export interface Effort {
  left: number;
}

export function newEffort(): Effort {
  return { left: mostCompared };
}

/**
 * A pattern that matches a whole text: `*` stands for any characters, `?` for one.
 *
 * It is not compiled to a regular expression, as those backtrack, exponentially for a pattern with several `*`. Here
 * each part between two `*` is searched for once, after the match of the part before it: the first match is always good
 * enough. Parts without `?` are found by `indexOf`, which is linear; one with `?` costs its length at each position,
 * which the effort bounds.
 */
export class Glob {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Undefined: there is no `*`, and the first part is the whole pattern. */
  readonly #last: string | undefined;

  constructor(pattern: string) {
    const [first = "", ...rest] = pattern.toLowerCase().split(/\*+/);
    this.#first = first;
    this.#last = rest.pop();
    this.#middle = rest;
  }

  /** Whether the pattern matches the text, which must be in lower case. When the effort is used up, it does not. */
  matches(text: string, effort: Effort): boolean {
    const first = this.#first;
    const last = this.#last;
    if (last === undefined) return text.length === first.length && isAt(first, text, 0, effort);
    const end = text.length - last.length;
    if (end < first.length || !isAt(first, text, 0, effort) || !isAt(last, text, end, effort)) return false;
    let at = first.length;
    for (const part of this.#middle) {
      const found = find(part, text, { from: at, end }, effort);
      if (found < 0) return false;
      at = found + part.length;
    }
    return true;
  }
}

/** The first position of a part that ends before `end`; -1: there is none. */
function find(part: string, text: string, { from, end }: { from: number; end: number }, effort: Effort): number {
  const lastPlace = end - part.length;
  if (!part.includes("?")) {
    const found = text.indexOf(part, from);
    return found <= lastPlace ? found : -1;
  }
  for (let place = from; place <= lastPlace && effort.left > 0; place++) {
    if (isAt(part, text, place, effort)) return place;
  }
  return -1;
}

function isAt(part: string, text: string, place: number, effort: Effort): boolean {
  if (!part.includes("?")) return text.startsWith(part, place);
  for (let index = 0; index < part.length; index++) {
    if (effort.left-- <= 0) return false;
    const wanted = part.charCodeAt(index);
    if (wanted !== anyCharacter && wanted !== text.charCodeAt(place + index)) return false;
  }
  return true;
}

const anyCharacter = "?".charCodeAt(0);
