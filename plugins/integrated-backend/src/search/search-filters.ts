import type { Pattern, Term, TextTerm, ValueTerm } from "@faultline/plugin/search";
import { sql, type RawBuilder } from "kysely";
import { statuses } from "../tables.ts";
import type { SqlDialect, Listed, SearchFilter } from "../storage.ts";
import { filterCondition, matchesOne, wordCondition, type FilterContext } from "./filters.ts";
import { chosenPieces, hasPieces } from "./planning/pieces.ts";
import type { Source } from "./spellings.ts";
import { namedBy, sourcesOf, type WordSource } from "./stored-values.ts";
import { formsOf } from "./tokens.ts";
import { prefixed, spelled, userKinds } from "./users.ts";

/** Ranges of an index that are read for one term. */
const readRanges = 100;

/** The errors of a project in the form that the filters of a search need. */
export interface FilteredProject extends FilterContext {
  readonly projectId: number;
  /** A query for the ids of the errors of a table that have a text. */
  matchingText(term: TextTerm, errors: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Prepares a filter of a search in a project. */
export function searchFilter(term: Term, project: FilteredProject): SearchFilter {
  const sources = term.of === "text" ? namedBy(term, project.stored) : [];
  const listed = term.of === "text" ? listedByWord(term, sources, project) : listedBy(term, project);
  const condition =
    term.of === "text" && sources.length > 0 ? wordCondition(term, sources, project) : filterCondition(term, project);
  return { term, condition, ...(listed && { listed }) };
}

/** The errors that have the text of a word, and the errors with another thing that it names. */
function listedByWord(term: TextTerm, sources: readonly WordSource[], project: FilteredProject): Listed | undefined {
  const { projectId, dialect, stored } = project;
  const forms = formsOf(term.text);
  if (sources.length === 0 || !hasPieces(forms)) return undefined;
  const { ids } = dialect.errorsWith({
    projectId,
    tokens: [{ of: "text", forms }],
    pieces: chosenPieces([forms], []).pieces,
    matching: (errors) => project.matchingText(term, errors),
  });
  const named = sources.map(({ source, named: key, pattern }) =>
    idsOf(source, stored.of(source, key, [pattern]), project),
  );
  if (named.includes(undefined)) return undefined;
  return { ids: sql.join([ids, ...named.filter((one) => one !== undefined)], sql` union all `), isExact: false };
}

function listedBy(term: Exclude<Term, TextTerm>, project: FilteredProject): Listed | undefined {
  const { projectId, stored, dialect } = project;
  if (term.of === "comparison") {
    if (term.key === "users" || term.key === "firstRelease") return undefined;
    if (term.key === "release") {
      const isOne = dialect.isOneOf("tag.value", stored.releasesOf(term) ?? []);
      return { ids: taggedIds(projectId, "release", isOne), isExact: true };
    }
    const found = sql`from integrated_error
      where project_id = ${projectId} and status in (${sql.join(statuses)})
        and ${filterCondition({ ...term, isNegated: false }, project)}`;
    return {
      ids: sql`select id as error_id ${found}`,
      statuses: sql`select id as error_id, status ${found}`,
      isExact: true,
    };
  }
  if (!stored.isComplete) return undefined;
  if (term.of === "presence") {
    return term.isTag ? { ids: taggedIds(projectId, term.key, sql`true`), isExact: true } : undefined;
  }
  const ids = indexedValues(term, project);
  return ids && { ids, isExact: !term.isOnly };
}

function indexedValues(term: ValueTerm, project: FilteredProject): RawBuilder<unknown> | undefined {
  const { stored } = project;
  const kinds = term.isTag ? undefined : userKinds[term.key];
  if (term.key === "transaction" && !term.isTag) return undefined; // culprits have some of them
  const all = kinds
    ? kinds.flatMap((kind) => {
        const values = term.values.map((pattern) => spelled(kind, pattern));
        const sources: Source[] = [
          { of: "user", name: kind },
          { of: "tag", name: `user.${kind}` },
        ];
        return sources.map((source) => idsOf(source, stored.of(source, term, values), project));
      })
    : sourcesOf(term).map((source) => idsOf(source, stored.of(source, term, term.values), project));
  if (all.length === 0 || all.includes(undefined)) return undefined;
  return sql.join(
    all.filter((ids) => ids !== undefined),
    sql` union all `,
  );
}

/** A query for the errors with values of a source, some twice. Undefined if no index has them. */
function idsOf(
  source: Source,
  values: readonly Pattern[],
  { projectId, dialect }: FilteredProject,
): RawBuilder<unknown> | undefined {
  const begun = values.filter((pattern) => pattern.length > 1);
  if (begun.length > readRanges || begun.some(([first]) => first === "")) return undefined;
  const exact = values.filter((pattern) => pattern.length === 1);
  const parts = [...(exact.length > 0 || begun.length === 0 ? [exact] : []), ...begun.map((pattern) => [pattern])];
  const ofPart = (patterns: readonly Pattern[]) => {
    if (source.of === "tag") return taggedIds(projectId, source.name, among("tag.value", patterns, dialect));
    return sql`select u.error_id from integrated_user as u join integrated_error as e on e.id = u.error_id
        and e.project_id = ${projectId}${dialect.sameProject("u", "e")}
      where ${among("u.user", prefixed(source.name, patterns), dialect)}`;
  };
  return sql.join(parts.map(ofPart), sql` union all `);
}

/** The condition that a column has one of several values, or begins like the only value. */
function among(column: string, patterns: readonly Pattern[], dialect: SqlDialect): RawBuilder<unknown> {
  const matches = matchesOne(column, patterns, dialect);
  const [[begin, ...others] = [""]] = patterns;
  if (others.length === 0) return matches;
  return sql`${sql.ref(column)} >= ${begin} and ${sql.ref(column)} < ${`${begin}\u{10ffff}`} and ${matches}`;
}

const taggedIds = (projectId: number, key: string, condition: RawBuilder<unknown>) =>
  sql`select tag.error_id from integrated_tag_error as tag
    where tag.project_id = ${projectId} and tag.key = ${key} and ${condition}`;
