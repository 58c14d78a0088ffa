import { isInOrder, type ComparisonTerm, type Pattern, type Term, type ValueTerm } from "@faultline/plugin/search";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { statuses } from "../lists/statuses.ts";
import type { Storage } from "../storage.ts";
import type { Listed, SearchFilter } from "./search-filter.ts";
import { filterCondition, isTagKey, matchesOne, prefixed, spelled, type FilterContext } from "./filters.ts";

/** Releases of a project that a comparison is checked against, in the order of their texts. */
const comparedReleases = 5_000;

/** Prepares the filters of a search in a project. */
export async function searchFilters(
  storage: Storage,
  { projectId, terms, now }: { projectId: number; terms: readonly Term[]; now: number },
  limits?: AbortableQueryOptions,
): Promise<SearchFilter[]> {
  const compared = terms.filter((term) => term.of === "comparison" && isOfRelease(term)) as ComparisonTerm[];
  const releases = compared.length > 0 ? await releasesOf(storage, projectId, limits) : [];
  const context: FilterContext = {
    dialect: storage.dialect,
    now,
    releasesOf: (comparison) => releases.filter((release) => isInOrder(release, comparison)),
  };
  return terms.map((term) => {
    const listed = listedBy(term, projectId, context);
    return { term, condition: filterCondition(term, context), ...(listed && { listed }) };
  });
}

const isOfRelease = ({ key }: ComparisonTerm) => key === "release" || key === "firstRelease";

/** The distinct releases of a project's errors, each found by one step in the index. */
async function releasesOf(
  { readExpensively }: Storage,
  projectId: number,
  limits?: AbortableQueryOptions,
): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(select min(value) from integrated_tag_error
    where project_id = ${projectId} and key = 'release' and value > ${after})`;
  const { rows } = await sql<{ value: string }>`
    with recursive release (value) as (
      select ${next(sql`''`)} union all
      select ${next(sql`release.value`)} from release where release.value is not null
    ) select value from release where value is not null limit ${comparedReleases}`.execute(readExpensively, limits);
  return rows.map(({ value }) => value);
}

function listedBy(term: Term, projectId: number, context: FilterContext): Listed | undefined {
  const ofTag = (
    key: string,
    condition: RawBuilder<unknown>,
  ) => sql`select tag.error_id from integrated_tag_error as tag
    where tag.project_id = ${projectId} and tag.key = ${key} and ${condition}`;
  if (term.of === "comparison") {
    if (term.key === "users" || term.key === "firstRelease") return undefined;
    if (term.key === "release")
      return { ids: ofTag("release", context.dialect.isOneOf("tag.value", context.releasesOf(term))), isExact: true };
    const found = sql`from integrated_error
      where project_id = ${projectId} and status in (${sql.join(statuses)})
        and ${filterCondition({ ...term, isNegated: false }, context)}`;
    return {
      ids: sql`select id as error_id ${found}`,
      statuses: sql`select id as error_id, status ${found}`,
      isExact: true,
    };
  }
  if (term.of === "presence") return term.isTag ? { ids: ofTag(term.key, sql`true`), isExact: true } : undefined;
  if (term.of !== "value") return undefined;
  const ids = indexedValues(term, { projectId, context, ofTag });
  return ids && { ids, isExact: !term.isOnly };
}

function indexedValues(
  { key, isTag, values }: ValueTerm,
  parts: {
    projectId: number;
    context: FilterContext;
    ofTag: (key: string, condition: RawBuilder<unknown>) => RawBuilder<unknown>;
  },
): RawBuilder<unknown> | undefined {
  const { projectId, context, ofTag } = parts;
  const kind = key.startsWith("user.") && !isTag ? key.slice("user.".length) : undefined;
  const asked = kind === undefined ? values : values.map((pattern) => spelled(kind, pattern));
  const isExact = asked.every((pattern) => pattern.length === 1);
  const [[prefix] = [""]] = asked;
  if (!isExact && (asked.length > 1 || prefix === "")) return undefined;
  const among = (column: string, patterns: readonly Pattern[]): RawBuilder<unknown> => {
    const matches = matchesOne(column, patterns, context.dialect);
    if (isExact) return matches;
    const [[text] = [""]] = patterns;
    return sql`${sql.ref(column)} >= ${text} and ${sql.ref(column)} < ${`${text}\u{10ffff}`} and ${matches}`;
  };
  if (isTag || isTagKey(key)) return ofTag(key, among("tag.value", asked));
  if (kind === undefined) return undefined;
  return sql`select u.error_id from integrated_user as u join integrated_error as e on e.id = u.error_id
      and e.project_id = ${projectId}${context.dialect.sameProject("u", "e")}
    where ${among("u.user", prefixed(kind, asked))}
    union all ${ofTag(key, among("tag.value", asked))}`;
}
