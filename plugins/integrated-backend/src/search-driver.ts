import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { condition, indexedTexts, isTag, separator, type SearchToken } from "./search.ts";
import { chosenPieces, hasPieces, type Pieces } from "./search-pieces.ts";
import { cheapestWay, costOfFew, type Candidates, type Way } from "./search-ways.ts";
import { statuses } from "./statuses.ts";
import type { Storage } from "./storage.ts";

/**
 * So many errors are looked at first: how many of them have what is searched for says how the others are best found. In the
 * order of their hashes they are as good as drawn by lot. It takes 1 to 2 ms.
 */
const drawnErrors = 250;

/** Letters of a drawn error's texts that are looked at. */
const drawnLetters = 500;

/** Tags of a search that are counted; further ones are looked up error by error. */
const countedTags = 5;

/** What is rarer than the draw can say is counted, up to here. */
const countedErrors = 2_000;

/** The errors of a draw: status, whether all matches, its texts, and whether it has each counted tag. */
type Drawn = readonly [status: number, matches: number | boolean, text: string, ...tags: (number | boolean)[]];

/** `lastHash`: in hexadecimal digits; null: the project has no errors. `counts`: of each tag. */
type Answer = readonly [filling: number, drawn: readonly Drawn[], lastHash: string | null, counts: readonly number[]];

/** What may match, by an index. */
interface Option extends Candidates {
  /** What all of them have for certain, as it is a tag: their rows need not say so once more. */
  readonly met: readonly SearchToken[];
  /** A query for the errors' ids. */
  readonly ids: RawBuilder<unknown>;
  /** Of the drawn errors, which it finds. */
  readonly had: readonly boolean[];
}

/** How a search goes about it. */
export interface Driver {
  /** The project's errors are all indexed, or at least due. */
  readonly isIndexed: boolean;
  readonly way: Way;
  /** A query for the ids of the errors that may match. */
  readonly ids: RawBuilder<unknown>;
  /** Of the texts of each error that matches; none where the search has no text that the index can look up. */
  readonly pieces: Pieces;
  /** The words that all of these do match, as they are tags. */
  readonly met: readonly SearchToken[];
  /** So many of a list match that its first page is found at once by walking. */
  readonly isCommon: boolean;
}

/** Finds out how a search is best driven. At most `mostCounted` of each status are counted. */
export async function driverOf(
  { readExpensively, words }: Storage,
  projectId: number,
  tokens: readonly SearchToken[],
  mostCounted: number,
  limits?: AbortableQueryOptions,
): Promise<Driver> {
  const texts = tokens
    .map(indexedTexts)
    .filter((forms) => forms !== undefined)
    .filter((forms) => hasPieces(forms));
  const tags = tokens.filter(isTag).slice(0, countedTags);
  const walk: Driver = { isIndexed: false, way: "walk", met: [], pieces: [], ids: sql`select null`, isCommon: true };
  if (texts.length + tags.length === 0) return walk;

  const idsOfTags = tags.map(
    ({ key, value }) => sql`select error_id from integrated_tag_error
      where project_id = ${projectId} and key = ${key} and value = ${value}`,
  );
  // The errors are drawn first: PostgreSQL would prepare their conditions for all that there are.
  const error = readExpensively
    .selectFrom("integrated_error")
    .selectAll()
    .where("project_id", "=", projectId)
    .orderBy("group_hash")
    .limit(drawnErrors);
  const errors = readExpensively
    .selectFrom(error.as("integrated_error"))
    .select(["status", words.hexOf("group_hash").as("hash")])
    .select((builder) => builder.and(tokens.map((token) => condition(words, builder, token))).as("matches"))
    .select((builder) => tags.map((tag, n) => condition(words, builder, tag).as(`tag_${n}`)))
    .select(
      sql`substr(concat_ws(${separator}, '', title, type, value, culprit, level, ''), 1, ${drawnLetters})`.as("texts"),
    );
  const columns = ["status", "matches", "texts", ...tags.map((_, n) => `tag_${n}`)].map((column) => sql.ref(column));
  const counts = idsOfTags.map((ids) => sql`(select count(*) from (${ids} limit ${countedErrors + 1}) as tagged)`);
  const { rows } = await sql<{ answer: string }>`
    select cast(${words.jsonArray([
      sql`(select count(*) from integrated_search_fill where project_id = ${projectId})`,
      words.jsonOfRows(words.jsonArray(columns)),
      sql`max(hash)`,
      words.jsonArray(counts),
    ])} as text) as answer from (${errors}) as drawn`.execute(readExpensively, limits);
  const [filling, drawn, lastHash, counted] = JSON.parse(rows[0]?.answer ?? "[1, [], null, []]") as Answer;
  if (filling > 0) return walk;
  if (drawn.length < drawnErrors || lastHash === null) return { ...walk, isIndexed: true };

  // Hashes are spread evenly: where the last one lies says how many errors there are.
  const errorCount = (drawnErrors * 2 ** 48) / (parseInt(lastHash.slice(0, 12), 16) + 1);
  const options: Option[] = idsOfTags.map((ids, n) => {
    const had = drawn.map((one) => Boolean(one[3 + n]));
    const count = counted[n] ?? 0;
    return {
      met: tags.slice(n, n + 1),
      ids,
      had,
      listed: 0,
      count: count <= countedErrors ? count : Math.max(count, atLeastHalf(had) * errorCount),
    };
  });
  const matching = drawn.map(([, matches]) => Boolean(matches));
  let pieces: Pieces = [];
  let withPieces = errorCount;
  if (texts.length > 0) {
    const chosen = chosenPieces(
      texts,
      drawn.map(([, , text]) => text),
    );
    pieces = chosen.pieces;
    withPieces = atLeastHalf(chosen.found) * errorCount;
    options.push({
      met: [],
      ids: words.errorsWith(projectId, pieces),
      had: chosen.found,
      listed: 0,
      count: withPieces,
    });
  }
  const [rarest, second] = options.toSorted((a, b) => a.count - b.count);
  if (!rarest) return walk;
  const both = second && rarest.count > countedErrors ? bothOf(rarest, second, errorCount) : rarest;
  const fewest = costOfFew(both) < costOfFew(rarest) ? both : rarest;

  const isCommon = atLeastHalf(matching) >= 0.02;
  const way = cheapestWay({
    errorCount,
    statusShares: statuses.map((status) => drawn.filter(([one]) => one === status).length / drawnErrors),
    share: Math.min(atLeastHalf(matching), Math.max(fewest.count / errorCount, 1e-6)),
    isCommon,
    fewest,
    pieces,
    withPieces,
    tagCount: tags.length,
    mostCounted,
  });
  return { isIndexed: true, way, met: fewest.met, ids: fewest.ids, pieces, isCommon };
}

/** Errors that both have; also listed are those that one has. */
function bothOf(one: Option, other: Option, errorCount: number): Option {
  const had = one.had.map((has, n) => has && other.had[n] === true);
  return {
    met: [...one.met, ...other.met],
    ids: sql`select error_id from (${one.ids}) as one intersect select error_id from (${other.ids}) as other`,
    had,
    listed: one.count + other.count,
    count: atLeastHalf(had) * errorCount,
  };
}

/** The share of the draw; of what it has nothing of, there may be some nevertheless. */
function atLeastHalf(had: readonly boolean[]): number {
  return Math.max(had.filter(Boolean).length, 0.5) / drawnErrors;
}
