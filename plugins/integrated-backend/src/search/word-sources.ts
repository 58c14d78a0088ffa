import { isIP } from "node:net";
import type { Named, Pattern } from "@faultline/plugin/search";
import type { Source } from "./spellings.ts";

/** What a word may name beside a text of an error, and the key that asks for it. */
export interface WordSource {
  readonly source: Source;
  readonly named: Named;
  readonly pattern: Pattern;
}

/** A name of a user in the spelling in which names of its kind are stored. */
type Spelled = (kind: string, pattern: Pattern) => Pattern;

/**
 * What a word may name: an e-mail address or an IP address a user, other words the file or the function in which an event
 * occurred. Words of two letters are texts alone.
 */
export function wordSources(word: string, spelled: Spelled): readonly WordSource[] {
  if (word.length < 3 || /[\s*]/.test(word)) return [];
  if (isIP(word) !== 0) return namesOf(word, ["ip"], spelled);
  if (/^[^@]+@[^@]+\.[^@]+$/.test(word)) return namesOf(word, ["email", "username", "id"], spelled);
  const isPath = /(?:^|[\w-])\.[a-z]\w{0,9}$/i.test(word);
  const pattern: Pattern = [word];
  return [
    ...(isPath ? [{ source: tag("stack.filename"), named: { key: "file", isTag: false }, pattern }] : []),
    // As a whole: words are the ends of too many functions.
    { source: tag("stack.function"), named: { key: "stack.function", isTag: true }, pattern },
  ];
}

const tag = (name: string): Source => ({ of: "tag", name });

const namesOf = (word: string, kinds: readonly string[], spelled: Spelled): WordSource[] =>
  kinds.flatMap((kind) => {
    const what = { named: { key: `user.${kind}`, isTag: false }, pattern: spelled(kind, [word]) };
    return [
      { source: { of: "user", name: kind }, ...what },
      { source: tag(`user.${kind}`), ...what },
    ];
  });
