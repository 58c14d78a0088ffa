import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { condition, indexedTexts, isTag, type SearchToken } from "./search.ts";
import type { Storage } from "./storage.ts";

/**
 * With more errors than this that may match, a list is found sooner by walking along its order: where every fifth error
 * of 100,000 matches, a page and all counts are full after some thousand.
 */
const fewErrors = 20_000;

/**
 * So many errors are looked at to see whether every fifth has the texts of a search: the index takes 10 ms to list what
 * has common ones. In the order of their hashes they are as good as drawn by lot.
 */
const drawnErrors = 400;

/** Tags of a search that are counted; further ones are looked up error by error. */
const countedTags = 5;

/** How many errors may match by each index, and which do by their texts. */
interface Counted {
  readonly filling: number;
  /** A JSON list of ids. */
  readonly list: string | null;
  /** A JSON list. */
  readonly tagged: string | null;
}

/** What the indexes can do for a search. */
export interface Driver {
  /** The project's errors are all indexed, or at least due. */
  readonly isIndexed: boolean;
  /**
   * A query for the ids of the few errors that may match, by the index that has the fewest. Undefined: all have many, or
   * none is of use.
   */
  readonly few?: RawBuilder<unknown> | undefined;
}

/** Finds out how a search is driven. */
export async function driverOf(
  { readExpensively, words }: Storage,
  projectId: number,
  tokens: readonly SearchToken[],
  limits?: AbortableQueryOptions,
): Promise<Driver> {
  const texts = tokens.map(indexedTexts).filter((forms) => forms !== undefined);
  const byTag = tokens
    .filter(isTag)
    .slice(0, countedTags)
    .map(
      ({ key, value }) => sql`select error_id from integrated_tag_error
        where project_id = ${projectId} and key = ${key} and value = ${value}`,
    );
  if (texts.length + byTag.length === 0) return { isIndexed: false };

  const none = sql`cast(null as text)`;
  const drawn = readExpensively
    .selectFrom("integrated_error")
    .select((builder) =>
      builder
        .and(tokens.filter((token) => indexedTexts(token)).map((token) => condition(words, builder, token)))
        .as("has_texts"),
    )
    .where("project_id", "=", projectId)
    .orderBy("group_hash")
    .limit(drawnErrors);
  const list =
    texts.length === 0
      ? none
      : sql`case when (select count(*) from ${drawn} as drawn where has_texts) < ${drawnErrors / 5}
          then ${words.errorsWith(projectId, texts, fewErrors)} end`;
  const tagCounts = byTag.map((ids) => sql`(select count(*) from (${ids} limit ${fewErrors + 1}) as tagged)`);
  const tagged = byTag.length > 0 ? sql`cast(json_array(${sql.join(tagCounts)}) as text)` : none;
  const { rows } = await sql<Counted>`
    select (select count(*) from integrated_search_fill where project_id = ${projectId}) as filling,
      ${list} as list, ${tagged} as tagged`.execute(readExpensively, limits);
  const [counted] = rows;
  if (!counted || counted.filling > 0) return { isIndexed: false };

  const drivers = (JSON.parse(counted.tagged ?? "[]") as number[]).map((count, n) => ({ count, ids: byTag[n] }));
  if (counted.list !== null) {
    drivers.push({ count: (JSON.parse(counted.list) as number[]).length, ids: words.idsOf(counted.list) });
  }
  const [fewest] = drivers.toSorted((a, b) => a.count - b.count);
  return { isIndexed: true, few: fewest && fewest.count <= fewErrors ? fewest.ids : undefined };
}
