import type { ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { statuses } from "../../tables.ts";
import type { Found, Search, Storage, SearchFilter, Pieces, SearchToken, Tag } from "../../storage.ts";
import { drawnErrors, type Draws, drawnWith, type Draw } from "./draw.ts";
import { chosenPieces, hasPieces } from "./pieces.ts";
import { hasSeparator, indexedTexts, isTag } from "../tokens.ts";
import { cheapestWay, costOfFew, type Way, isTakingOutCheaper, type Candidates } from "./ways.ts";

/** Tags of a search that are counted. Further tags are checked error by error. */
const countedTags = 5;

/** The plan of a search. */
export interface Driver extends Found {
  /** Whether all errors of the project are indexed or due. */
  readonly isIndexed: boolean;
  /** The fraction of the project's errors with each status. */
  readonly statusShares: ReadonlyMap<ErrorStatus, number>;
  readonly way: Way;
  /** Pieces in the texts of each matching error. Empty if the search has no text that the index can look up. */
  readonly pieces: Pieces;
  /** Whether enough errors match for a walk to find the first page of a list quickly. */
  readonly isCommon: boolean;
}

/** The search, and the maximum errors of each status to count. */
interface Searched {
  readonly projectId: number;
  readonly tokens: readonly SearchToken[];
  readonly filters: readonly SearchFilter[];
  readonly matching: Search["matching"];
  readonly mostCounted: number;
}

/** Examines the errors one after another. */
const walk: Driver = {
  isIndexed: false,
  statusShares: new Map(),
  way: "walk",
  met: [],
  pieces: [],
  ids: sql`select null`,
  isCommon: true,
};

/** Chooses the cheapest plan of a search. */
export async function driverOf(
  storage: Storage,
  draws: Draws,
  { projectId, tokens, filters, matching, mostCounted }: Searched,
  limits?: AbortableQueryOptions,
): Promise<Driver> {
  const texts = tokens
    .map(indexedTexts)
    .filter((forms) => forms !== undefined)
    .filter((forms) => hasPieces(forms));
  const tags = tokens.filter(isTag).slice(0, countedTags);
  const isListed = filters.some(({ term, listed }) => listed !== undefined && !term.isNegated);
  if ((texts.length + tags.length === 0 && !isListed) || tokens.some(hasSeparator)) return walk;

  const draw = await draws.of(projectId, limits);
  if (draw === "filling") return walk;
  if (draw === "few") return { ...walk, isIndexed: true };
  const { errors, errorCount } = draw;
  const drawnTexts = errors.map(({ text }) => text);
  const tagged = await countTags(storage, { projectId, tags, draw }, limits);
  const filtered = await countFiltered(storage, { projectId, filters, draw }, limits);
  const options: Option[] = tagged.map(({ tag, ids, count, had }) =>
    listOption({ ids, met: [tag], had, counted: count }, errorCount),
  );
  options.push(...filtered.listed);
  const isText = tokens.map(indexedTexts).map((forms) => forms?.map((form) => form.toLowerCase()));
  const matches = drawnTexts.map(
    (text, n) =>
      isText.every((forms) => forms?.some((form) => text.includes(form)) ?? true) &&
      tagged.every(({ had }) => had[n] === true) &&
      filtered.had[n] === true,
  );
  let pieces: Pieces = [];
  let withPieces = errorCount;
  if (texts.length > 0) {
    const chosen = chosenPieces(texts, drawnTexts);
    pieces = chosen.pieces;
    withPieces = atLeastHalf(chosen.found) * errorCount;
    const search = { projectId, tokens, pieces, matching };
    options.push({
      ...storage.dialect.errorsWith(search),
      within: (other) => storage.dialect.errorsWith(search, other),
      isCompared: true,
      had: chosen.found,
      listed: 0,
      count: withPieces,
    });
  }
  const [rarest, second] = options.toSorted((a, b) => a.count - b.count);
  if (!rarest) return walk;
  const both = second && rarest.count > countedErrors ? bothOf(rarest, second, errorCount) : rarest;
  const found = costOfFew(both) < costOfFew(rarest) ? both : rarest;
  const fewest = filtered.excluded.reduce((left, excluded) => without(left, excluded, errorCount), found);

  const statusShares = new Map(
    statuses.map((status) => [status, errors.filter((error) => error.status === status).length / drawnErrors]),
  );
  const isCommon = atLeastHalf(matches) >= 0.02;
  const way = cheapestWay({
    errorCount,
    statusShares: [...statusShares.values()],
    share: Math.min(atLeastHalf(matches), Math.max(fewest.count / errorCount, 1e-6)),
    isCommon,
    fewest,
    pieces,
    withPieces,
    tagCount: tags.length,
    mostCounted,
  });
  return { ...fewest, isIndexed: true, statusShares, way, pieces, isCommon };
}

interface Tagged {
  readonly tag: SearchToken & Tag;
  /** A query for the ids of the errors with the tag. */
  readonly ids: RawBuilder<unknown>;
  /** The number of errors with the tag, up to one more than the maximum to count. */
  readonly count: number;
  readonly had: readonly boolean[];
}

/** Counts the errors with each tag and finds the drawn errors among them. For a common tag, the draw has both. */
async function countTags(
  { readExpensively, dialect }: Storage,
  { projectId, tags, draw }: { projectId: number; tags: readonly (SearchToken & Tag)[]; draw: Draw },
  limits?: AbortableQueryOptions,
): Promise<Tagged[]> {
  const idsOf = ({ key, value }: Tag) => sql`select error_id from integrated_tag_error
    where project_id = ${projectId} and key = ${key} and value = ${value}`;
  const known = tags.map((tag) => {
    const had = drawnWith(draw, tag);
    return { tag, ids: idsOf(tag), count: had ? atLeastHalf(had) * draw.errorCount : 0, had: had ?? [] };
  });
  const isRare = ({ count }: Tagged) => count <= countedErrors;
  if (!known.some(isRare)) return known;

  const drawn = dialect.valuesOf(
    draw.errors.map(({ id }) => id),
    "drawn",
  );
  const each = known.flatMap((tagged, n) =>
    isRare(tagged)
      ? sql`select cast(${n} as integer) as n,
      (select count(*) from (${tagged.ids} limit ${countedErrors + 1}) as tagged) as count,
      (select cast(${dialect.jsonOfRows(sql`error_id`)} as text)
        from (${tagged.ids} and error_id in (select value from ${drawn})) as tagged) as drawn`
      : [],
  );
  const { rows } = await sql<{ n: number; count: number; drawn: string }>`${sql.join(each, sql` union all `)}`.execute(
    readExpensively,
    limits,
  );
  const counted = new Map(rows.map(({ n, ...row }) => [n, row]));
  return known.map((tagged, n) => {
    const row = counted.get(n);
    if (!row) return tagged;
    const having = new Set(JSON.parse(row.drawn) as number[]);
    return { ...tagged, count: row.count, had: draw.errors.map(({ id }) => having.has(id)) };
  });
}

interface Filtered {
  /** Whether each of the drawn errors meets all filters. */
  readonly had: readonly boolean[];
  /** The errors that filters select. */
  readonly listed: readonly Option[];
  /** The errors that filters exclude. */
  readonly excluded: readonly Excluded[];
}

/** Finds the drawn errors that meet all filters, and the filters with errors that an index can list. */
async function countFiltered(
  { readExpensively, dialect }: Storage,
  { projectId, filters, draw }: { projectId: number; filters: readonly SearchFilter[]; draw: Draw },
  limits?: AbortableQueryOptions,
): Promise<Filtered> {
  if (filters.length === 0) return { had: draw.errors.map(() => true), listed: [], excluded: [] };
  const drawn = dialect.valuesOf(
    draw.errors.map(({ id }) => id),
    "drawn",
  );
  const isDrawn = dialect.isAmong(projectId, sql`select value from ${drawn}`);
  const of = sql.join(
    filters.map(({ term, condition, listed }, n) => {
      // An error that is listed twice counts twice, because finding distinct errors would read the whole list.
      const count =
        listed && !term.isNegated
          ? sql`(select count(*) from (select 1 from (${listed.ids}) as listed limit ${countedErrors + 1}) as counted)`
          : sql`0`;
      const having = sql`select id from integrated_error where ${isDrawn} and ${condition}`;
      return sql`select cast(${n} as integer) as n, cast(${count} as integer) as count, (select cast(${dialect.jsonOfRows(sql`id`)} as text) from (${having}) as having_it) as drawn`;
    }),
    sql` union all `,
  );
  const { rows } = await sql<{ n: number; count: number; drawn: string }>`${of}`.execute(readExpensively, limits);
  const counts = rows
    .toSorted((a, b) => a.n - b.n)
    .map(({ count, drawn: ids }) => {
      const having = new Set(JSON.parse(ids) as number[]);
      return { count: Number(count), had: draw.errors.map(({ id }) => having.has(id)) };
    });
  const each = filters.map((filter, n) => ({ filter, ...(counts[n] ?? { count: 0, had: [] }) }));
  const listed = each.flatMap(({ filter, count, had }): Option[] => {
    if (!filter.listed || filter.term.isNegated) return [];
    const { isExact, ...found } = filter.listed;
    return [listOption({ ...found, met: isExact ? [filter] : [], had, counted: count }, draw.errorCount)];
  });
  const excluded = each.flatMap(({ filter, had }): Excluded[] => {
    if (!filter.listed?.isExact || !filter.term.isNegated) return [];
    const count = atLeastHalf(had.map((has) => !has)) * draw.errorCount;
    return [{ filter, ids: filter.listed.ids, count, had }];
  });
  return { had: draw.errors.map((_, n) => counts.every(({ had }) => had[n] === true)), listed, excluded };
}

/** Errors that may match, found by an index. */
interface Option extends Candidates, Found {
  /** The intersection with another query. */
  readonly within: (other: RawBuilder<unknown>) => Found;
  /** Whether it compares texts. Listing tags costs less. */
  readonly isCompared: boolean;
  /** Whether it finds each of the drawn errors. */
  readonly had: readonly boolean[];
}

/** Maximum count of errors too rare for an estimate from the draw. */
const countedErrors = 2_000;

/** The errors of a list. `counted` is their number, up to one more than the maximum to count. */
function listOption(
  list: Found & { readonly had: readonly boolean[]; readonly counted: number },
  errorCount: number,
): Option {
  const { ids, met, had, counted } = list;
  return {
    ...list,
    within: (other) => ({ ids: idsOfBoth(ids, other), met }),
    isCompared: false,
    listed: 0,
    count: counted <= countedErrors ? counted : Math.max(counted, atLeastHalf(had) * errorCount),
  };
}

/** The errors that both options find. Requires listing all errors that either option finds. */
function bothOf(one: Option, other: Option, errorCount: number): Option {
  const had = one.had.map((has, n) => has && other.had[n] === true);
  const [listed, compared] = one.isCompared ? [other, one] : [one, other];
  const within = compared.within(listed.ids);
  const met = [...listed.met, ...within.met];
  return {
    ...within,
    met,
    within: (further) => ({ ids: idsOfBoth(within.ids, further), met }),
    isCompared: compared.isCompared,
    had,
    listed: one.count + other.count,
    count: atLeastHalf(had) * errorCount,
  };
}

const idsOfBoth = (one: RawBuilder<unknown>, other: RawBuilder<unknown>) =>
  sql`select error_id from (${one}) as one intersect select error_id from (${other}) as other`;

/** Errors that a filter excludes. */
interface Excluded {
  readonly filter: SearchFilter;
  readonly ids: RawBuilder<unknown>;
  readonly count: number;
  /** Whether the filter keeps each of the drawn errors. */
  readonly had: readonly boolean[];
}

/** The errors of an option that a filter keeps, if listing the excluded errors costs less than examining each error. */
function without(option: Option, excluded: Excluded, errorCount: number): Option {
  if (!isTakingOutCheaper(excluded.count, option)) return option;
  const ids = sql`select error_id from (${option.ids}) as one except select error_id from (${excluded.ids}) as other`;
  const met = [...option.met, excluded.filter];
  const had = option.had.map((has, n) => has && excluded.had[n] === true);
  const statusesLeft =
    option.statuses &&
    sql`select * from (${option.statuses}) as one
      where not exists (select 1 from (${excluded.ids}) as other where other.error_id = one.error_id)`;
  return {
    ids,
    ...(statusesLeft && { statuses: statusesLeft }),
    met,
    within: (other) => ({ ids: idsOfBoth(ids, other), met }),
    isCompared: option.isCompared,
    had,
    listed: option.listed + option.count + excluded.count,
    count: Math.min(option.count, atLeastHalf(had) * errorCount),
  };
}

/** The share in the draw, counted as at least half an error: errors that are not in the draw may still exist. */
function atLeastHalf(had: readonly boolean[]): number {
  return Math.max(had.filter(Boolean).length, 0.5) / drawnErrors;
}
