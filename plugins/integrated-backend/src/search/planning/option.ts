import { sql, type RawBuilder } from "kysely";
import type { Found } from "../../storage.ts";
import { drawnErrors } from "./draw.ts";
import type { SearchFilter } from "../search-filter.ts";
import { isTakingOutCheaper, type Candidates } from "./ways.ts";

/** Errors that may match, found by an index. */
export interface Option extends Candidates, Found {
  /** The intersection with another query. */
  readonly within: (other: RawBuilder<unknown>) => Found;
  /** Whether it compares texts; tags are listed, which costs less. */
  readonly isCompared: boolean;
  /** Whether it finds each of the drawn errors. */
  readonly had: readonly boolean[];
}

/** Errors too rare for an estimate from the draw are counted, up to this number. */
export const countedErrors = 2_000;

/** The errors of a list; `counted`: their number up to one more than are counted. */
export function listOption(
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

/** The errors that both options find; all that either finds are listed for that. */
export function bothOf(one: Option, other: Option, errorCount: number): Option {
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
export interface Excluded {
  readonly filter: SearchFilter;
  readonly ids: RawBuilder<unknown>;
  readonly count: number;
  /** Whether the filter leaves each of the drawn errors. */
  readonly had: readonly boolean[];
}

/** The errors of an option that a filter leaves, if listing those that it excludes costs less than looking at each. */
export function without(option: Option, excluded: Excluded, errorCount: number): Option {
  if (!isTakingOutCheaper(excluded.count, option)) return option;
  const ids = sql`select error_id from (${option.ids}) as one except select error_id from (${excluded.ids}) as other`;
  const met = [...option.met, excluded.filter];
  const had = option.had.map((has, n) => has && excluded.had[n] === true);
  const statuses =
    option.statuses &&
    sql`select * from (${option.statuses}) as one
      where not exists (select 1 from (${excluded.ids}) as other where other.error_id = one.error_id)`;
  return {
    ids,
    ...(statuses && { statuses }),
    met,
    within: (other) => ({ ids: idsOfBoth(ids, other), met }),
    isCompared: option.isCompared,
    had,
    listed: option.listed + option.count + excluded.count,
    count: Math.min(option.count, atLeastHalf(had) * errorCount),
  };
}

/** The share in the draw, at least half an error: errors that it does not contain may still exist. */
export function atLeastHalf(had: readonly boolean[]): number {
  return Math.max(had.filter(Boolean).length, 0.5) / drawnErrors;
}
