import {
  type ComparisonTerm,
  type Named,
  type Pattern,
  type PresenceTerm,
  type Term,
  type TextTerm,
  type ValueTerm,
  tagsOf,
  valueForms,
} from "@faultline/plugin/search";
import { invalidField, dayMs, hourMs } from "@faultline/plugin";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { SqlDialect } from "../storage.ts";
import { sourcesOf, type StoredValues, type WordSource } from "./stored-values.ts";
import { storable } from "../event/storable-json.ts";
import { asciiSmall, formsOf } from "./tokens.ts";
import { prefixed, spelled, userKinds } from "./users.ts";

/** The context that filters need in addition to their terms. */
export interface FilterContext {
  readonly dialect: SqlDialect;
  /** The time from which ages are counted, in milliseconds since 1970. */
  readonly now: number;
  readonly stored: StoredValues;
}

type Condition = RawBuilder<SqlBool>;

/** The condition that a row of integrated_error meets a term. */
export function filterCondition(term: Term, context: FilterContext): Condition {
  const condition = positive(term, context);
  return term.isNegated ? sql`not (${condition})` : condition;
}

function positive(term: Term, context: FilterContext): Condition {
  switch (term.of) {
    case "text":
      return textCondition(term, context.dialect);
    case "presence":
      return presence(term, context.dialect);
    case "value":
      return term.isOnly ? onlyValue(term, context) : value(term, context);
    case "comparison":
      return comparison(term, context);
  }
}

const textCondition = ({ text }: TextTerm, dialect: SqlDialect) =>
  anyOf(["title", "value", "culprit"].flatMap((column) => formsOf(text).map((form) => dialect.contains(column, form))));

/** The columns in which the text of a key is searched for. */
const textColumns: Readonly<Record<string, readonly string[]>> = {
  message: ["title", "value"],
  value: ["value"],
  culprit: ["culprit"],
};

/** The columns with the single value of a key. */
const valueColumns: Readonly<Record<string, string>> = {
  type: "type",
  platform: "platform",
  level: "level",
  firstRelease: "first_release",
};

function value(term: ValueTerm, context: FilterContext): Condition {
  const { key, isTag, values } = term;
  const { dialect } = context;
  const columns = isTag ? undefined : textColumns[key];
  if (columns) {
    return anyOf(columns.flatMap((column) => values.map((pattern) => contains(column, pattern, dialect))));
  }
  const column = isTag ? undefined : valueColumns[key];
  if (column !== undefined) return inAnyCase(sql`integrated_error.${sql.ref(column)}`, formsOfAll(term), dialect);
  const kinds = isTag ? undefined : userKinds[key];
  if (kinds) return anyOf(kinds.map((kind) => ofUser(kind, term, context)));
  if (isTag || key !== "transaction") return taggedWith(term, context);
  // If an SDK names the transaction, it is also the culprit of the error. Tags have it since release 0.2.
  return anyOf([taggedWith(term, context), inAnyCase(sql`integrated_error.culprit`, values, dialect)]);
}

const formsOfAll = (term: ValueTerm) => term.values.flatMap((pattern) => valueForms(term, pattern));

/** The condition that one of the tags of a key has one of the values. */
const taggedWith = (term: ValueTerm, context: FilterContext) =>
  anyOf(
    sourcesOf(term).map(({ name }) => tagged(name, hasStored("tag.value", { name, term }, context), context.dialect)),
  );

/** The condition that the value of a tag is one of the values of a term. */
function hasStored(
  column: string,
  { name, term }: { name: string; term: Named & Pick<ValueTerm, "values"> },
  { dialect, stored }: FilterContext,
): Condition {
  const values = stored.of({ of: "tag", name }, term, term.values);
  return stored.isComplete ? matchesOne(column, values, dialect) : inAnyCase(sql.ref(column), values, dialect);
}

/** The condition that a tag, or a user, had exactly one value and no other. */
function onlyValue(term: ValueTerm, context: FilterContext): Condition {
  const condition = value(term, context);
  const { key, isTag } = term;
  const { dialect } = context;
  if (!isTag && (textColumns[key] !== undefined || valueColumns[key] !== undefined)) return condition;
  const kinds = isTag ? undefined : userKinds[key];
  if (!kinds) {
    const [name = key] = sourcesOf(term).map((source) => source.name);
    const other = tagged(name, sql`not (${hasStored("tag.value", { name, term }, context)})`, dialect);
    return sql`(${condition} and not (${other}))`;
  }
  const isOther = allOf(kinds.map((kind) => sql`not (${isUser(kind, term, context)})`));
  return sql`(${condition} and not (${identified(isOther, dialect)}))`;
}

/** The condition that the name of a user is one of the names in a term. */
function isUser(kind: string, term: Named & Pick<ValueTerm, "values">, { dialect, stored }: FilterContext): Condition {
  const values = term.values.map((pattern) => spelled(kind, pattern));
  const names = prefixed(kind, stored.of({ of: "user", name: kind }, term, values));
  return stored.isComplete ? matchesOne("u.user", names, dialect) : inAnyCase(sql.ref("u.user"), names, dialect);
}

function ofUser(kind: string, term: Named & Pick<ValueTerm, "values">, context: FilterContext): Condition {
  const name = `user.${kind}`;
  const values = term.values.map((pattern) => spelled(kind, pattern)) as [Pattern, ...Pattern[]];
  const isTagged = hasStored("tag.value", { name, term: { ...term, values } }, context);
  return anyOf([identified(isUser(kind, term, context), context.dialect), tagged(name, isTagged, context.dialect)]);
}

/** The condition that an error has a text, or another thing that a word names. */
export function wordCondition(term: TextTerm, sources: readonly WordSource[], context: FilterContext): Condition {
  const { dialect, stored } = context;
  const named = sources.map(({ source, named: key, pattern }) => {
    const values = stored.of(source, key, [pattern]);
    return source.of === "user"
      ? identified(matchesOne("u.user", prefixed(source.name, values), dialect), dialect)
      : tagged(source.name, matchesOne("tag.value", values, dialect), dialect);
  });
  const condition = anyOf([textCondition(term, dialect), ...named]);
  return term.isNegated ? sql`not (${condition})` : condition;
}

function presence({ key, isTag }: PresenceTerm, dialect: SqlDialect): Condition {
  if (isTag) return tagged(key, sql`true`, dialect);
  const columns = [...(textColumns[key] ?? []), ...(valueColumns[key] === undefined ? [] : [valueColumns[key]])];
  if (columns.length > 0) return anyOf(columns.map((column) => sql`integrated_error.${sql.ref(column)} <> ''`));
  if (key === "user") return sql`integrated_error.user_count > 0`;
  if (key === "transaction") return sql`(${tagged(key, sql`true`, dialect)} or integrated_error.culprit <> '')`;
  const kinds = userKinds[key];
  if (kinds) {
    const isNamed = kinds.map((kind) => identified(dialect.isLike(sql.ref("u.user"), [`${kind}:`, ""]), dialect));
    return anyOf([...isNamed, ...kinds.map((kind) => tagged(`user.${kind}`, sql`true`, dialect))]);
  }
  const tags = tagsOf({ key, isTag });
  if (tags.length === 0) return sql`true`; // every error has times and counts
  return anyOf(tags.map((name) => tagged(name, sql`true`, dialect)));
}

const comparedColumns: Readonly<Record<string, string>> = {
  timesSeen: "event_count",
  users: "user_count",
  firstSeen: "first_seen_at",
  lastSeen: "last_seen_at",
};

function comparison(term: ComparisonTerm, context: FilterContext): Condition {
  const { key, operator, operand } = term;
  if (key === "release" || key === "firstRelease") {
    const releases = context.stored.releasesOf(term);
    if (!releases) throw tooManyReleases();
    const column = key === "release" ? "tag.value" : "integrated_error.first_release";
    const isOne = context.dialect.isOneOf(column, releases);
    return key === "release" ? tagged(key, isOne, context.dialect) : isOne;
  }
  const column = sql`integrated_error.${sql.ref(comparedColumns[key] ?? "event_count")}`;
  if (key === "timesSeen" || key === "users") return sql`${column} ${sql.raw(operator)} ${Number(operand)}`;
  const { from, to } = timesOf(term, context.now);
  return sql`(${column} >= ${from} and ${column} < ${to})`;
}

function tagged(key: string, condition: RawBuilder<unknown>, dialect: SqlDialect): Condition {
  return sql`exists (select 1 from integrated_tag as tag
    where tag.error_id = integrated_error.id${dialect.sameProject("tag", "integrated_error")}
      and tag.key = ${key} and ${condition})`;
}

function identified(condition: RawBuilder<unknown>, dialect: SqlDialect): Condition {
  return sql`exists (select 1 from integrated_user as u
    where u.error_id = integrated_error.id${dialect.sameProject("u", "integrated_error")} and ${condition})`;
}

/** Maximum values passed as separate parameters, which lets the planner see them. */
const singleValues = 50;

/** The condition that a column has one of several values, in the stored spelling. */
export function matchesOne(column: string, values: readonly Pattern[], dialect: SqlDialect): Condition {
  const exact = values.filter((pattern) => pattern.length === 1).map(([text]) => text);
  const others = values.filter((pattern) => pattern.length > 1);
  if (values.length === 0) return sql`1 = 0`;
  const list =
    exact.length > singleValues ? dialect.isOneOf(column, exact) : sql`${sql.ref(column)} in (${sql.join(exact)})`;
  return anyOf([
    ...(exact.length > 0 ? [list] : []),
    ...(others.length > 0 ? [inAnyCase(sql.ref(column), others, dialect)] : []),
  ]);
}

/** The condition that a text is like one of several values, ignoring the case of ASCII letters. */
function inAnyCase(text: RawBuilder<unknown>, values: readonly Pattern[], dialect: SqlDialect): Condition {
  if (values.length === 0) return sql`1 = 0`;
  return anyOf(
    values.map((pattern) => {
      const [first, ...others] = pattern;
      if (others.length === 0) return sql`lower(${text}) = ${storable(asciiSmall(first))}`;
      return dialect.isLike(sql`lower(${text})`, [asciiSmall(first), ...others.map(asciiSmall)]);
    }),
  );
}

/** The condition that a column contains a text, ignoring the case of ASCII letters. */
function contains(column: string, pattern: Pattern, dialect: SqlDialect): Condition {
  if (pattern.length === 1) return anyOf(formsOf(pattern[0]).map((form) => dialect.contains(column, form)));
  const [first, ...others] = pattern.map(asciiSmall);
  return dialect.isLike(sql`lower(${sql.ref(column)})`, ["", first ?? "", ...others, ""]);
}

const anyOf = (conditions: readonly RawBuilder<unknown>[]) => sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
const allOf = (conditions: readonly RawBuilder<unknown>[]) => sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

const tooManyReleases = () =>
  invalidField(
    "query",
    "The project has too many releases to compare them all. Search for one release, or for several as release:web@1.*.",
  );

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: dayMs, w: 7 * dayMs };

/**
 * The times that a comparison covers, in milliseconds since 1970: from the first to before the second. A date is the
 * whole day, and a time without seconds is the whole minute. Without a zone both are in UTC.
 */
function timesOf({ operator, operand }: ComparisonTerm, now: number): { from: number; to: number } {
  const [start, end] = spanOf(operand, now);
  const last = Number.MAX_SAFE_INTEGER;
  switch (operator) {
    case ">":
      return { from: end, to: last };
    case ">=":
      return { from: start, to: last };
    case "<":
      return { from: 0, to: start };
    case "<=":
      return { from: 0, to: end };
    case "=":
      return { from: start, to: end };
  }
}

function spanOf(operand: string, now: number): readonly [start: number, end: number] {
  const [, count, unit = "h"] = /^[-+](\d+)([mhdw])$/.exec(operand) ?? [];
  if (count !== undefined) {
    const time = Math.max(0, now - Number(count) * (unitMs[unit] ?? hourMs));
    return [time, time + 1];
  }
  if (!operand.includes("T")) {
    const day = Date.parse(operand);
    return [day, day + dayMs];
  }
  const time = Date.parse(/(?:Z|[-+]\d\d:\d\d)$/.test(operand) ? operand : `${operand}Z`);
  const ms = /:\d\d:\d\d\.\d/.test(operand)
    ? 1
    : /:\d\d:\d\d/.test(operand.replace(/[-+]\d\d:\d\d$/, ""))
      ? 1000
      : 60_000;
  return [time, time + ms];
}
