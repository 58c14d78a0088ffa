import { isIP } from "node:net";
import {
  isAskedFor,
  isInOrder,
  tagsOf,
  valueForms,
  type ComparisonTerm,
  type Named,
  type Pattern,
  type Term,
  type TextTerm,
} from "@faultline/plugin/search";
import type { AbortableQueryOptions } from "kysely";
import type { Storage } from "../storage.ts";
import { distinctValues } from "./distinct-values.ts";
import { spellingsOf, type Source } from "./spellings.ts";
import { spelled, userKinds } from "./users.ts";

/** Anything that a word may name other than a text of an error, and the key for it. */
export interface WordSource {
  readonly source: Source;
  readonly named: Named;
  readonly pattern: Pattern;
}

/** A name of a user in the stored spelling of its kind. */
type Spelled = (kind: string, pattern: Pattern) => Pattern;

/**
 * The things that a word may name: a user for an e-mail address or an IP address, otherwise the file or the function in
 * which an event occurred. Words of two letters are only texts.
 */
function wordSources(word: string, spelling: Spelled): readonly WordSource[] {
  if (word.length < 3 || /[\s*]/.test(word)) return [];
  if (isIP(word) !== 0) return namesOf(word, ["ip"], spelling);
  if (/^[^@]+@[^@]+\.[^@]+$/.test(word)) return namesOf(word, ["email", "username", "id"], spelling);
  const isPath = /(?:^|[\w-])\.[a-z]\w{0,9}$/i.test(word);
  const pattern: Pattern = [word];
  return [
    ...(isPath ? [{ source: tagSource("stack.filename"), named: { key: "file", isTag: false }, pattern }] : []),
    // As a whole value, because words are the ends of too many functions.
    { source: tagSource("stack.function"), named: { key: "stack.function", isTag: true }, pattern },
  ];
}

const tagSource = (name: string): Source => ({ of: "tag", name });

const namesOf = (word: string, kinds: readonly string[], spelling: Spelled): WordSource[] =>
  kinds.flatMap((kind) => {
    const what = { named: { key: `user.${kind}`, isTag: false }, pattern: spelling(kind, [word]) };
    return [
      { source: { of: "user", name: kind }, ...what },
      { source: tagSource(`user.${kind}`), ...what },
    ];
  });

/** Maximum distinct values of a tag that are listed. A tag with more is searched error by error. */
const listedValues = 5_000;

/** The stored values that a search asks for. */
export interface StoredValues {
  /**
   * False while the index of tags is being filled. Patterns are then returned unchanged, to be compared with each value
   * without regard to case.
   */
  readonly isComplete: boolean;
  /**
   * Patterns that find the same values as the patterns of the key, in the stored spellings. Empty if no value is
   * stored. A pattern that begins with a wildcard remains unchanged if there are too many values to list.
   */
  of(source: Source, named: Named, patterns: readonly Pattern[]): readonly Pattern[];
  /** The releases that a comparison selects. Undefined if there are too many to compare. */
  releasesOf(comparison: ComparisonTerm): readonly string[] | undefined;
}

/** Tags that can be searched for by the ends of their values. */
const listable = new Set(["release", "file", "function"].flatMap((key) => tagsOf({ key, isTag: false })));

/** Looks up the values in the terms of a search. */
export async function storedValues(
  storage: Storage,
  { projectId, terms }: { projectId: number; terms: readonly Term[] },
  limits?: AbortableQueryOptions,
): Promise<StoredValues> {
  const named = terms.flatMap(namedValues);
  const tags = new Set(terms.flatMap(listedTags));
  const [isFilling, spellings, ...lists] = await Promise.all([
    isBeingFilled(storage, projectId, limits),
    spellingsOf(
      storage,
      projectId,
      named.filter(([{ name }]) => !tags.has(name)),
      limits,
    ),
    ...Array.from(
      tags,
      async (tag) => [tag, await distinctValues(storage, { projectId, tag, most: listedValues + 1 }, limits)] as const,
    ),
  ]);
  const listed = new Map(lists.filter(([, values]) => values.length <= listedValues));
  return {
    isComplete: !isFilling,
    of(source, key, patterns) {
      if (isFilling) return patterns.flatMap((pattern) => valueForms(key, pattern));
      const values = source.of === "tag" ? listed.get(source.name) : undefined;
      if (values) return values.filter((value) => isAskedFor(value, key, patterns)).map((value): Pattern => [value]);
      return patterns
        .flatMap((pattern) => valueForms(key, pattern))
        .flatMap((form): readonly Pattern[] => {
          const [first, ...others] = form;
          if (first === "") return [form];
          return spellings(source, first, others.length === 0).map((text): Pattern => [text, ...others]);
        });
    },
    releasesOf: (comparison) => listed.get("release")?.filter((release) => isInOrder(release, comparison)),
  };
}

/** The stored things that a word may name. Empty if it is only a text. */
export const namedBy = ({ text }: TextTerm, stored: StoredValues): readonly WordSource[] =>
  stored.isComplete
    ? wordSources(text, spelled).filter(({ source, named, pattern }) => stored.of(source, named, [pattern]).length > 0)
    : [];

/** The patterns of a term, each with a source of its values. */
function namedValues(term: Term): (readonly [Source, Pattern])[] {
  if (term.of === "text") {
    return wordSources(term.text, spelled).flatMap(({ source, named, pattern }) => formsOf(source, named, [pattern]));
  }
  if (term.of !== "value") return [];
  const kinds = term.isTag ? undefined : userKinds[term.key];
  if (!kinds) return sourcesOf(term).flatMap((source) => formsOf(source, term, term.values));
  return kinds.flatMap((kind) => {
    const values = term.values.map((pattern) => spelled(kind, pattern));
    return [
      ...formsOf({ of: "user", name: kind }, term, values),
      ...formsOf({ of: "tag", name: `user.${kind}` }, term, values),
    ];
  });
}

/** The tags that have the values of a term's key. */
export const sourcesOf = (named: Named): Source[] =>
  (named.key === "transaction" && !named.isTag ? ["transaction"] : tagsOf(named)).map((name) => ({ of: "tag", name }));

const formsOf = (source: Source, named: Named, patterns: readonly Pattern[]) =>
  patterns.flatMap((pattern) => valueForms(named, pattern)).map((form): readonly [Source, Pattern] => [source, form]);

/** The tags with listed values, which are compared or found by their ends. */
function listedTags(term: Term): string[] {
  if (term.of === "comparison") return term.key === "release" || term.key === "firstRelease" ? ["release"] : [];
  const isEnd = ([{ of, name }, [first]]: readonly [Source, Pattern]) =>
    of === "tag" && listable.has(name) && first === "";
  return namedValues(term)
    .filter(isEnd)
    .map(([{ name }]) => name);
}

async function isBeingFilled({ read }: Storage, projectId: number, limits?: AbortableQueryOptions): Promise<boolean> {
  const filling = read.selectFrom("integrated_search_fill").select("project_id").where("project_id", "=", projectId);
  return (await filling.executeTakeFirst(limits)) !== undefined;
}
