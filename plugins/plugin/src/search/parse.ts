import { keyNamed, searchKey, type SearchKey } from "./keys.ts";
import { incomparable } from "./release-order.ts";
import { SearchProblem, type ComparisonTerm, type Named, type Operator, type Pattern, type Term } from "./term.ts";

export const searchBounds = { characters: 500, terms: 20, values: 50 };

/** A term with its position in the text: characters from `start` to `end`. */
export type PlacedTerm = Term & { readonly start: number; readonly end: number };

/** Reads a search. Throws SearchProblem for the first part that it cannot read. */
export function parseSearch(text: string): PlacedTerm[] {
  if (text.length > searchBounds.characters) {
    throw new SearchProblem(`A search has at most ${searchBounds.characters} characters.`, 0, text.length);
  }
  const scanner = new Scanner(text);
  const terms: PlacedTerm[] = [];
  for (let term = scanner.next(); term; term = scanner.next()) {
    if (terms.length === searchBounds.terms) {
      throw new SearchProblem(`A search has at most ${searchBounds.terms} terms.`, term.start, term.end);
    }
    terms.push(term);
  }
  return terms;
}

/** `host://` and `std::error` are text, and so is `C:\\temp`. */
const keyAhead = /(all:)?(?:tags\[([^\]]+)\]|"([^"\\]+)"|(?![a-z]:\\)([\p{L}\p{N}_.-]+)):(?!\/\/|:)/iuy;
/** `12:30` is text, and so is an address such as `2001:db8::1`, because the name of a key has a letter. */
const textAhead = /[\d.]+:|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?=\s|$)/iy;
const tagAhead = /tags\[([^\]]+)\]|"([^"\\]+)"/iy;
const notAhead = /NOT(?=\s)\s*/y;
const operatorAhead = /(?:>=|<=|>|<|=)?/y;
const relativeAge = /^([-+])(\d{1,5})([mhdw])$/i;
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[-+]\d\d:\d\d)?)?$/;

class Scanner {
  readonly #text: string;
  #at = 0;
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): PlacedTerm | undefined {
    while (isSpace(this.#text[this.#at])) this.#at++;
    if (this.#at >= this.#text.length) return undefined;
    this.#start = this.#at;
    const isNegated = this.#negation();
    if (this.#text[this.#at] === "(") {
      throw this.#problem("Groups in parentheses are not supported. To search for this text, put it in quotes.");
    }
    const term = this.#keyed(isNegated) ?? this.#word(isNegated);
    return { ...term, start: this.#start, end: this.#at };
  }

  /** Reads `!` or `NOT`. */
  #negation(): boolean {
    if (this.#text[this.#at] === "!" && !isEnd(this.#text[this.#at + 1])) {
      this.#at++;
      return true;
    }
    if (!this.#reads(notAhead)) return false;
    if (isEnd(this.#text[this.#at]) || this.#text[this.#at] === "!" || this.#isAhead(notAhead)) {
      throw this.#problem('NOT excludes the term that follows it, such as NOT level:info. The word itself is "NOT".');
    }
    return true;
  }

  #word(isNegated: boolean): Term {
    const isQuoted = this.#text[this.#at] === '"';
    const start = this.#at;
    const text = isQuoted ? this.#quoted().join("*") : this.#bareText();
    const operator = isQuoted ? undefined : operators[text];
    if (operator !== undefined) throw this.#problem(operator);
    if (text.trim() === "") throw this.#problem("The quotes are empty. Enter text between them.");
    const isWhole = isQuoted || this.#text.slice(start, this.#at).includes("\\");
    return { of: "text", text: isWhole ? text : withoutWildcards(text), isNegated };
  }

  /** A term with a key. Undefined if it is a word. */
  #keyed(isNegated: boolean): Term | undefined {
    keyAhead.lastIndex = this.#at;
    const match = this.#isAhead(textAhead) ? null : keyAhead.exec(this.#text);
    if (!match) return undefined;
    const [whole, all, bracketed, inQuotes, name = ""] = match;
    const tag = bracketed ?? inQuotes;
    const next = this.#text[this.#at + whole.length];
    const known = tag === undefined ? keyNamed(name) : undefined;
    const isHas = tag === undefined && name.toLowerCase() === "has";
    const mayBeText = bracketed === undefined && known === undefined && !isHas && all === undefined;
    if (mayBeText && (inQuotes === undefined ? isSpace(next) : isEnd(next))) return undefined; // such as "TypeError: x"
    this.#at += whole.length;
    if (isEnd(next)) {
      throw this.#problem(`${whole} has no value.${mayBeText ? " To search for it as text, put it in quotes." : ""}`);
    }
    if (isHas) return this.#presence(isNegated);
    const named: Named = { key: known ?? tag ?? name, isTag: known === undefined };
    return this.#values(named, { isNegated, isOnly: all !== undefined });
  }

  #presence(isNegated: boolean): Term {
    tagAhead.lastIndex = this.#at;
    const [, bracketed, inQuotes] = tagAhead.exec(this.#text) ?? [];
    const tag = bracketed ?? inQuotes;
    if (tag !== undefined) this.#at = tagAhead.lastIndex;
    const name = tag ?? this.#bareText();
    if (tag === undefined && !/^[\p{L}\p{N}_.-]+$/u.test(name)) {
      throw this.#problem("has: needs a key, such as has:user, or has:tags[name] for any name of a tag.");
    }
    const known = tag === undefined ? keyNamed(name) : undefined;
    return { of: "presence", key: known ?? name, isTag: known === undefined, isNegated };
  }

  #values(named: Named, how: { isNegated: boolean; isOnly: boolean }): Term {
    const about = named.isTag ? undefined : searchKey(named.key);
    const compared = about && this.#comparison(named, about, how);
    if (compared) return compared;
    if (/[<>]/.test(this.#text.charAt(this.#at))) throw this.#problem(noOrder(named.key));
    const values = this.#text[this.#at] === "[" ? this.#list() : [this.#value()];
    const [first, ...others] = values.map((value) => this.#checked(named, about, value));
    if (!first) throw this.#problem("The list is empty. Enter at least one value, such as [a, b].");
    if (how.isOnly && about && !canBeOnly(about)) {
      throw this.#problem(`all: asks for the only value of a tag; ${named.key} has one value anyway.`);
    }
    return { of: "value", ...named, values: [first, ...others], ...how };
  }

  #comparison(named: Named, about: SearchKey, how: { isNegated: boolean; isOnly: boolean }): Term | undefined {
    operatorAhead.lastIndex = this.#at;
    const [sign = ""] = operatorAhead.exec(this.#text) ?? [];
    if (about.kind === "release" && sign === "=") this.#at++; // a single value, the same as without the sign
    const isCompared = about.kind === "number" || about.kind === "time" || /^[<>]/.test(sign);
    if (!isCompared || (about.kind !== "number" && about.kind !== "time" && about.kind !== "release")) return undefined;
    if (how.isOnly) throw this.#problem(`all: asks for the only value of a tag; ${named.key} has one value anyway.`);
    this.#at += sign.length;
    const operand = this.#text[this.#at] === '"' ? this.#quoted().join("*") : this.#bareText();
    const term = { of: "comparison", ...named, isNegated: how.isNegated } as const;
    if (about.kind === "number") {
      if (!/^\d{1,15}$/.test(operand)) throw this.#problem(`${named.key} needs a number, such as ${named.key}:>100.`);
      return { ...term, operator: operatorOf(sign), operand: String(Number(operand)) };
    }
    if (about.kind === "release") {
      if (operand === "") throw this.#problem(`${named.key}:${sign} needs a version, such as ${named.key}:>=1.4.0.`);
      const reason = incomparable(operand);
      if (reason !== undefined)
        throw this.#problem(`${reason}. Compare with a version, such as ${named.key}:>=web@1.4.`);
      return { ...term, operator: operatorOf(sign), operand };
    }
    return this.#time(term, sign, operand);
  }

  #time(term: Omit<ComparisonTerm, "operator" | "operand">, sign: string, operand: string): Term {
    const age = relativeAge.exec(operand);
    if (age) {
      const [, direction = "-", count = "0", unit = "h"] = age;
      const isWithin = direction === "-";
      if ((sign.startsWith("<") && isWithin) || (sign.startsWith(">") && !isWithin)) {
        throw this.#problem(`Write ${term.key}:-24h for the last 24 hours, and ${term.key}:+24h for before that.`);
      }
      const operator = isWithin ? ">=" : "<=";
      return { ...term, operator, operand: `${direction}${Number(count)}${unit.toLowerCase()}` };
    }
    if (!isoTime.test(operand) || Number.isNaN(Date.parse(operand))) {
      const { key } = term;
      throw this.#problem(`${key} needs an age or a date, such as ${key}:-24h, ${key}:+7d or ${key}:>2026-09-01.`);
    }
    return { ...term, operator: operatorOf(sign), operand };
  }

  #list(): Pattern[] {
    this.#at++; // [
    const values: Pattern[] = [];
    for (;;) {
      while (isSpace(this.#text[this.#at]) || this.#text[this.#at] === ",") this.#at++;
      if (this.#text[this.#at] === "]") break;
      if (this.#at >= this.#text.length) throw this.#problem("The list has no end. Close it with ].");
      if (/[<>]/.test(this.#text.charAt(this.#at))) {
        throw this.#problem('A list can only have values. For a value that begins with < or >, use quotes: ">1".');
      }
      values.push(this.#text[this.#at] === '"' ? this.#quoted() : this.#bare(/[\s,\]]/));
      if (values.length > searchBounds.values) {
        throw this.#problem(`A list has at most ${searchBounds.values} values.`);
      }
    }
    this.#at++;
    return values;
  }

  #value(): Pattern {
    return this.#text[this.#at] === '"' ? this.#quoted() : this.#bare(/\s/);
  }

  #bareText(): string {
    return this.#bare(/\s/, false)[0];
  }

  /** A value up to a character that ends it. */
  #bare(end: RegExp, hasWildcards = true): Pattern {
    return this.#read((character) => end.test(character), hasWildcards);
  }

  #quoted(): Pattern {
    this.#at++;
    const value = this.#read((character) => character === '"', true);
    if (this.#text[this.#at] !== '"') throw this.#problem("The quotes have no end. Close them.");
    this.#at++;
    return value;
  }

  /** A backslash makes the wildcard, the quote and the backslash literal; before other characters it is literal. */
  #read(isLast: (character: string) => boolean, hasWildcards: boolean): Pattern {
    const parts: [string, ...string[]] = [""];
    const add = (text: string) => (parts[parts.length - 1] += text);
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at);
      const following = this.#text.charAt(this.#at + 1);
      if (isLast(character)) break;
      if (character === "\\" && following !== "" && '*"\\'.includes(following)) {
        add(following);
        this.#at++;
      } else if (character === "*" && hasWildcards) parts.push("");
      else add(character);
    }
    return parts;
  }

  /** A value that the key may have, in its usual spelling. */
  #checked({ key }: Named, about: SearchKey | undefined, value: Pattern): Pattern {
    if (value.every((part) => part === "")) {
      if (value.length === 1)
        throw this.#problem(`${key} has an empty value. To find errors without it, write !has:${key}.`);
      throw this.#problem(`To find errors with any ${key}, write has:${key}.`);
    }
    if (about?.choices === undefined) return value;
    const asked = value.join("*").toLowerCase();
    for (const [choice, others] of Object.entries(about.choices)) {
      if (choice === asked || others.includes(asked)) return [choice];
    }
    const choices = Object.keys(about.choices);
    const list = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}`;
    throw this.#problem(`“${value.join("*")}” is not a value of ${key}. Use ${list}.`);
  }

  #isAhead(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Moves past a pattern if it comes next. */
  #reads(pattern: RegExp): boolean {
    if (!this.#isAhead(pattern)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** A problem with the current term, up to its end. */
  #problem(message: string): SearchProblem {
    let end = Math.max(this.#at, this.#start + 1);
    while (end < this.#text.length && !isSpace(this.#text[end])) end++;
    return new SearchProblem(message, this.#start, end);
  }
}

const isSpace = (character: string | undefined) => character !== undefined && /\s/.test(character);
const isEnd = (character: string | undefined) => character === undefined || isSpace(character);

/** Words between terms that are not part of the search. */
const operators: Readonly<Record<string, string | undefined>> = {
  AND: 'All terms must match anyway. Leave out AND, or put it in quotes: "AND".',
  OR: 'OR is not supported. List values as key:[a, b], or search for the word as "OR".',
  NOT: 'NOT excludes the term that follows it, such as NOT level:info. The word itself is "NOT".',
};

const noOrder = (key: string) =>
  `The values of ${key} have no order. For a value that begins with < or >, use quotes: ${key}:">1".`;

/** A word is found anywhere within a text, so wildcards around it change nothing. */
const withoutWildcards = (word: string) => word.replace(/^\*+(?=[^*])|(?<=[^*])\*+$/g, "");

const operatorOf = (sign: string): Operator => (sign === "" ? "=" : (sign as Operator));

/** Whether an error may have several values of a key. */
const canBeOnly = ({ kind, choices }: SearchKey) =>
  kind === "release" || kind === "value" || (choices !== undefined && "true" in choices);
