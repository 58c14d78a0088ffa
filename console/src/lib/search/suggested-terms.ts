import { keyNamed, searchKey, searchKeys } from "@faultline/plugin/search";

/** The word of a search around the caret. It begins at `start`. */
export interface TypedWord {
  readonly start: number;
  /** Undefined while the key is being typed. */
  readonly key: string | undefined;
  /** The typed part of the key or the value. */
  readonly prefix: string;
}

/** A suggestion: `text` replaces the word. */
export interface Suggestion {
  readonly label: string;
  readonly note: string;
  readonly text: string;
}

/** The word that ends at the caret. Undefined if suggestions cannot complete it, such as a phrase. */
export function typedWord(text: string, caret: number): TypedWord | undefined {
  const match = /(?:^|\s)!?(?:(?:all:)?(?:tags\[([^\]]*)\]|([\w.-]+)):)?("?)([^"\s:[\]]*)$/.exec(text.slice(0, caret));
  if (!match) return undefined;
  const [, tag, name, quote = "", prefix = ""] = match;
  const key = tag ?? name;
  if (key === undefined) return quote === "" ? { start: caret - prefix.length, key, prefix } : undefined;
  return { start: caret - prefix.length - quote.length, key, prefix };
}

/** A term as typed so far: its key, and its text, list or phrase. */
const typedTerm =
  /\s*(!?(?:(?:all:)?(?:tags\[[^\]]*\]|[\w.-]+):(?!\/\/))?)("(?:\\.|[^"\\])*"?|\[(?:"(?:\\.|[^"\\])*"?|[^\]"])*\]?|\S*)/y;
const endedValue = /^(?:"(?:\\.|[^"\\])+"|\[.*\])$/;
const operator = /^(?:AND|OR|NOT)$/;

/**
 * The search without an unfinished last term: a key without a space, quote or bracket behind its value, such as
 * `environment:prod`, an open quote, or an operator. The parser would also find it, but would add 3 kB to each page.
 */
export function finishedSearch(text: string): string {
  typedTerm.lastIndex = 0;
  for (;;) {
    const start = typedTerm.lastIndex;
    const [whole = "", key = "", value = ""] = typedTerm.exec(text) ?? [];
    if (whole.trim() === "") return text; // a space ended the last term
    if (start + whole.length < text.length) continue;
    const isOpen = key.endsWith(":") || value.startsWith('"') ? !endedValue.test(value) : operator.test(value);
    return isOpen ? text.slice(0, start + (whole.length - whole.trimStart().length)) : text;
  }
}

/** Keys with names that contain the typed text. Keys that begin with the text come first. */
export function suggestedKeys(prefix: string, tags: readonly string[]): Suggestion[] {
  const typed = prefix.toLowerCase();
  const ofLanguage = [
    ...Object.entries(searchKeys).map(([key, { meaning }]) => ({ key, note: meaning })),
    { key: "has", note: "Any value, such as has:user" },
  ];
  const ofTags = tags.filter((tag) => keyNamed(tag) === undefined).map((tag) => ({ key: tag, note: "Tag" }));
  return [...ofLanguage, ...ofTags]
    .filter(({ key }) => key.toLowerCase().includes(typed))
    .toSorted((a, b) => Number(b.key.toLowerCase().startsWith(typed)) - Number(a.key.toLowerCase().startsWith(typed)))
    .slice(0, 10)
    .map(({ key, note }) => ({ label: `${key}:`, note, text: `${key}:` }));
}

/** The values of a key without asking the service: choices, and examples of ages and numbers. */
export function knownValues(name: string): readonly string[] | undefined {
  const about = searchKey(keyNamed(name) ?? "");
  if (about?.choices) return Object.keys(about.choices);
  if (about?.kind === "time") return ["-1h", "-24h", "-7d", "+7d", "+30d"];
  return about?.kind === "number" ? [">10", ">100", ">1000"] : undefined;
}

/** Values as suggestions, in quotes if necessary. */
export const suggestedValues = (values: readonly { value: string; note: string }[]): Suggestion[] =>
  values.map(({ value, note }) => ({
    label: value,
    note,
    text: `${/[\s"()[\],*\\]/.test(value) ? `"${value.replace(/[\\"*]/g, "\\$&")}"` : value} `,
  }));
