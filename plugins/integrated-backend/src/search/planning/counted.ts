import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import type { Storage } from "../../storage.ts";
import { drawnWith, type Draw } from "./draw.ts";
import { atLeastHalf, countedErrors, listOption, type Excluded, type Option } from "./option.ts";
import type { SearchFilter } from "../search-filter.ts";
import type { SearchToken, Tag } from "../search-token.ts";

interface Tagged {
  readonly tag: SearchToken & Tag;
  /** A query for the ids of the errors with the tag. */
  readonly ids: RawBuilder<unknown>;
  /** Their number, up to one more than are counted. */
  readonly count: number;
  readonly had: readonly boolean[];
}

/** Counts the errors with each tag and finds the drawn ones among them; for a common tag the draw has both. */
export async function countTags(
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
  /** The errors that filters ask for. */
  readonly listed: readonly Option[];
  /** The errors that filters exclude. */
  readonly excluded: readonly Excluded[];
}

/** Finds the drawn errors that meet all filters, and the filters whose errors an index can list. */
export async function countFiltered(
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
      // An error that is listed twice counts twice: finding the distinct ones would read the whole list.
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
