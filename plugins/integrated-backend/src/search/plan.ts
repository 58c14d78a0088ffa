import { readSearch } from "@faultline/plugin";
import type { TextTerm, Term, ValueTerm } from "@faultline/plugin/search";
import { type ListErrorsRequest, ErrorStatusSchema, words, ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder, type SqlBool } from "kysely";
import type { Storage, SearchFilter, SearchToken } from "../storage.ts";
import { type Tables, statuses as shownStatuses } from "../tables.ts";
import type { Draws } from "./planning/draw.ts";
import { driverOf } from "./planning/driver.ts";
import { searchFilter } from "./search-filters.ts";
import { storedValues, namedBy, sourcesOf, type StoredValues } from "./stored-values.ts";
import { condition, formsOf, decisive } from "./tokens.ts";

/** Maximum count of a search, so that a tab costs the same in a project of any size. */
export const countedErrors = 1000;

/** A search with its cheapest plan. */
export async function planSearch(
  { storage, draws }: { readonly storage: Storage; readonly draws: Draws },
  { projectId, query }: Pick<ListErrorsRequest, "projectId" | "query">,
  { now, limits }: { readonly now: number; readonly limits?: AbortableQueryOptions | undefined },
) {
  const { dialect } = storage;
  const { tokens, filters, statuses, stored } = await preparedSearch(storage, { projectId, query, now }, limits);
  // A few candidates are examined once. Of many, the candidates of each status are examined.
  const matchingIn = (errors: RawBuilder<unknown>) =>
    idsOf(matchingAmong(storage, errors, { tokens, isIndexed: true }));
  const searched = { projectId, tokens, filters, matching: matchingIn, mostCounted: countedErrors };
  const driver = await driverOf(storage, draws, searched, limits);
  const { way, isIndexed } = driver;
  const every = matchingAmong(storage, sql`integrated_error`, { tokens, filters, isIndexed });
  const all = every.where("project_id", "=", projectId);
  const unmet = {
    tokens: tokens.filter((token) => !driver.met.includes(token)),
    filters: filters.filter((filter) => !driver.met.includes(filter)),
    isIndexed,
  };
  const isMet = unmet.tokens.length + unmet.filters.length === 0;
  const { statuses: foundStatuses } = way === "few" && driver.isCommon && isMet ? driver : {};
  const few = matchingAmong(storage, sql`integrated_error`, unmet).where(dialect.isAmong(projectId, driver.ids));
  const found = (status: RawBuilder<ErrorStatus>, isAmong: boolean) => {
    if (way === "few" && !foundStatuses) return errorsIn(storage, sql`found`).where("status", "=", status);
    return isAmong
      ? matchingAmong(storage, dialect.among(projectId, status, driver.ids), unmet)
      : all.where("status", "=", status);
  };
  // Filters are checked error by error, so only a limited number of errors is examined.
  const isBounded = filters.length > 0 && way !== "few";
  const among = (errors: RawBuilder<unknown>) => matchingAmong(storage, errors, { tokens, filters, isIndexed });
  return {
    storage,
    projectId,
    tokens,
    filters,
    matchingIn,
    driver,
    few,
    foundStatuses,
    found,
    isBounded,
    among,
    statuses,
    stored,
  };
}

export type SearchPlan = Awaited<ReturnType<typeof planSearch>>;

/** Parses a search and looks up the values in its terms. Refuses a query that cannot be parsed. */
async function preparedSearch(
  storage: Storage,
  { projectId, query, now }: { projectId: number; query: string; now: number },
  limits?: AbortableQueryOptions,
) {
  const terms = readSearch(query);
  const stored = await storedValues(storage, { projectId, terms }, limits);
  const { dialect } = storage;
  const matchingText = ({ text }: TextTerm, errors: RawBuilder<unknown>) =>
    idsOf(matchingAmong(storage, errors, { tokens: [{ of: "text", forms: formsOf(text) }], isIndexed: true }));
  const project = { projectId, dialect, now, stored, matchingText };
  const { filters, ...found } = queryOf(terms, stored);
  return { ...found, stored, filters: filters.map((term) => searchFilter(term, project)) };
}

/** The errors of any project and status that a search in a project finds. */
export async function matching(
  storage: Storage,
  { projectId, query, now }: { projectId: number; query: string; now: number },
) {
  const { tokens, filters, statuses } = await preparedSearch(storage, { projectId, query, now });
  const found = matchingAmong(storage, sql`integrated_error`, { tokens, filters, isIndexed: false });
  if (!statuses) return found;
  return statuses.length > 0 ? found.where("status", "in", statuses) : found.where(sql<SqlBool>`1 = 0`);
}

/** The errors of a table that meet all terms. For `isIndexed`, see Driver. */
function matchingAmong(
  storage: Storage,
  errors: RawBuilder<unknown>,
  terms: { tokens: readonly SearchToken[]; filters?: readonly SearchFilter[]; isIndexed: boolean },
) {
  let query = errorsIn(storage, errors);
  for (const token of terms.tokens) {
    query = query.where((builder) => condition(storage.dialect, builder, token, terms));
  }
  for (const filter of terms.filters ?? []) query = query.where(filter.condition);
  return query;
}

type Errors = ReturnType<typeof matchingAmong>;

export const idsOf = (errors: Errors) => sql`${errors.select("id")}`;

export function errorsIn({ read }: Storage, errors: RawBuilder<unknown>) {
  return read.selectFrom(sql<Tables["integrated_error"]>`${errors}`.as("integrated_error"));
}

/** A search in the form that is evaluated. */
interface Query {
  /** The terms to look up in the indexes, without texts that another term implies. */
  readonly tokens: readonly SearchToken[];
  /** The statuses in its `is:` terms, which replace the request's statuses. Undefined if it has no such term. */
  readonly statuses?: readonly ErrorStatus[];
  /** The other terms, checked for each error that the rest finds. */
  readonly filters: readonly Term[];
}

/** Divides the terms of a search by the method that finds them. */
function queryOf(terms: readonly Term[], stored: StoredValues): Query {
  const asked = terms.filter(isStatus);
  const others = terms.filter((term) => !isStatus(term));
  const tokens = others.map((term) => tokenOf(term, stored));
  return {
    tokens: decisive(tokens.filter((token) => token !== undefined)),
    filters: others.filter((_, n) => tokens[n] === undefined),
    ...(asked.length > 0 && {
      statuses: shownStatuses.filter((status) => asked.every((term) => allows(term, status))),
    }),
  };
}

const statusNames = words(ErrorStatusSchema);

const isStatus = (term: Term): term is ValueTerm => term.of === "value" && !term.isTag && term.key === "is";

const allows = ({ values, isNegated }: ValueTerm, status: ErrorStatus) =>
  values.some(([name]) => statusNames[name] === status) !== isNegated;

/** The token of a term. Undefined if no index has it. */
function tokenOf(term: Term, stored: StoredValues): SearchToken | undefined {
  if (term.isNegated) return undefined;
  if (term.of === "text") {
    return namedBy(term, stored).length > 0 ? undefined : { of: "text", forms: formsOf(term.text) };
  }
  if (term.of !== "value" || term.isOnly || term.values.length > 1 || term.values[0].length > 1) return undefined;
  const { key, isTag, values } = term;
  const [[value]] = values;
  if (!isTag && key === "message") return { of: "message", forms: formsOf(value) };
  if (!isTag && (key === "level" || key === "type")) return { of: key, value };
  const sources = isTag || key !== "transaction" ? sourcesOf(term) : [];
  const [source] = sources;
  if (!source || !stored.isComplete) return undefined;
  const all = sources.flatMap(({ name }) =>
    stored.of({ of: "tag", name }, term, values).map((found) => ({ key: name, found })),
  );
  const [one = { key: source.name, found: [value] }, ...others] = all;
  const isOne = others.length === 0 && one.found.length === 1;
  return isOne ? { of: "tag", key: one.key, value: one.found[0] } : undefined;
}
