import type { ComparisonTerm, Pattern, PresenceTerm, Term, TextTerm, ValueTerm } from "@faultline/plugin/search";
import { readUserKey } from "@faultline/sentry-event";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { SqlDialect } from "../storage.ts";
import { timesOf } from "./compared-times.ts";
import { asciiSmall, formsOf } from "./tokens.ts";

/** What filters need beside their terms. */
export interface FilterContext {
  readonly dialect: SqlDialect;
  /** Milliseconds since 1970, from which ages are counted. */
  readonly now: number;
  /** The releases that a comparison of the search names, of all that errors of the project have. */
  releasesOf(comparison: ComparisonTerm): readonly string[];
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
      return term.isOnly ? onlyValue(term, context.dialect) : value(term, context.dialect);
    case "comparison":
      return comparison(term, context);
  }
}

const textCondition = ({ text }: TextTerm, dialect: SqlDialect) =>
  anyOf(["title", "value", "culprit"].flatMap((column) => formsOf(text).map((form) => dialect.contains(column, form))));

/** Columns in which the text of a key is searched for. */
const textColumns: Readonly<Record<string, readonly string[]>> = {
  message: ["title", "value"],
  value: ["value"],
  culprit: ["culprit"],
};

/** Columns with the one value of a key. */
const valueColumns: Readonly<Record<string, string>> = {
  type: "type",
  platform: "platform",
  level: "level",
  firstRelease: "first_release",
};

/** The kinds of names by which an event identifies its user (ErrorEvent.user), by key. */
const userKinds: Readonly<Record<string, readonly string[]>> = {
  "user.id": ["id"],
  "user.email": ["email"],
  "user.username": ["username"],
  "user.ip": ["ip"],
  user: ["id", "email", "username", "ip"],
};

function value({ key, isTag, values }: ValueTerm, dialect: SqlDialect): Condition {
  if (isTag) return tagged(key, matchesOne("tag.value", values, dialect), dialect);
  const columns = textColumns[key];
  if (columns) {
    return anyOf(columns.flatMap((column) => values.map((pattern) => contains(column, pattern, dialect))));
  }
  const column = valueColumns[key];
  if (column !== undefined) return matchesOne(`integrated_error.${column}`, values, dialect);
  const kinds = userKinds[key];
  if (kinds) return ofUser(kinds, values, dialect);
  const isTagged = tagged(key, matchesOne("tag.value", values, dialect), dialect);
  // Where an SDK names the transaction, it is the culprit of the error as well; tags have it since this release.
  return key === "transaction"
    ? sql`(${isTagged} or ${matchesOne("integrated_error.culprit", values, dialect)})`
    : isTagged;
}

/** The condition that a tag, or a user, had a value, and none but that. */
function onlyValue(term: ValueTerm, dialect: SqlDialect): Condition {
  const condition = value(term, dialect);
  const { key, values, isTag } = term;
  if (!isTag && (textColumns[key] !== undefined || valueColumns[key] !== undefined)) return condition;
  const kinds = isTag ? undefined : userKinds[key];
  if (!kinds) {
    const other = tagged(key, sql`not (${matchesOne("tag.value", values, dialect)})`, dialect);
    return sql`(${condition} and not (${other}))`;
  }
  const isOther = allOf(kinds.map((kind) => sql`not (${matchesOne("u.user", prefixed(kind, values), dialect)})`));
  return sql`(${condition} and not (${identified(isOther, dialect)}))`;
}

function ofUser(kinds: readonly string[], values: readonly Pattern[], dialect: SqlDialect): Condition {
  const isNamed = anyOf(kinds.map((kind) => matchesOne("u.user", prefixed(kind, values), dialect)));
  const isTagged = kinds.map((kind) => {
    const ofKind = values.map((pattern) => spelled(kind, pattern));
    return tagged(`user.${kind}`, matchesOne("tag.value", ofKind, dialect), dialect);
  });
  return anyOf([identified(isNamed, dialect), ...isTagged]);
}

/** Values as they follow the kind in ErrorEvent.user, in its spelling. */
export const prefixed = (kind: string, values: readonly Pattern[]): Pattern[] =>
  values.map((pattern) => {
    const [first, ...others] = spelled(kind, pattern);
    return [`${kind}:${first}`, ...others];
  });

/** A value in the spelling in which users are stored. */
export function spelled(kind: string, pattern: Pattern): Pattern {
  const [first, ...others] = pattern;
  if (kind === "email") return [first.toLowerCase(), ...others.map((part) => part.toLowerCase())];
  return kind === "ip" && others.length === 0 ? [readUserKey(`ip:${first}`).slice("ip:".length) || first] : pattern;
}

function presence({ key, isTag }: PresenceTerm, dialect: SqlDialect): Condition {
  if (isTag) return tagged(key, sql`true`, dialect);
  const columns = [...(textColumns[key] ?? []), ...(valueColumns[key] === undefined ? [] : [valueColumns[key]])];
  if (columns.length > 0) return anyOf(columns.map((column) => sql`integrated_error.${sql.ref(column)} <> ''`));
  if (key === "user") return sql`integrated_error.user_count > 0`;
  if (key === "transaction") return sql`(${tagged(key, sql`true`, dialect)} or integrated_error.culprit <> '')`;
  const kinds = userKinds[key];
  if (kinds) return ofUser(kinds, [["", ""]], dialect);
  return isTagKey(key) ? tagged(key, sql`true`, dialect) : sql`true`; // times and counts: each error has them
}

/** Whether the values of a key are those of a tag of that name. */
export const isTagKey = (key: string) => ["release", "environment", "url", "handled"].includes(key);

const comparedColumns: Readonly<Record<string, string>> = {
  timesSeen: "event_count",
  users: "user_count",
  firstSeen: "first_seen_at",
  lastSeen: "last_seen_at",
};

function comparison(term: ComparisonTerm, context: FilterContext): Condition {
  const { key, operator, operand } = term;
  if (key === "release" || key === "firstRelease") {
    const releases = context.releasesOf(term);
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

/** The condition that a column has one of several values. */
export function matchesOne(column: string, values: readonly Pattern[], dialect: SqlDialect): Condition {
  const exact = values.filter((pattern) => pattern.length === 1).map(([text]) => text);
  const isOne = exact.length > 0 ? [sql<SqlBool>`${sql.ref(column)} in (${sql.join(exact)})`] : [];
  const patterns = values.filter((pattern) => pattern.length > 1);
  return anyOf([...isOne, ...patterns.map((pattern) => dialect.isLike(sql.ref(column), pattern))]);
}

/** The condition that a column contains a text; the case of ASCII letters is ignored. */
function contains(column: string, pattern: Pattern, dialect: SqlDialect): Condition {
  if (pattern.length === 1) return anyOf(formsOf(pattern[0]).map((form) => dialect.contains(column, form)));
  const [first, ...others] = pattern.map(asciiSmall);
  return dialect.isLike(sql`lower(${sql.ref(column)})`, ["", first ?? "", ...others, ""]);
}

const anyOf = (conditions: readonly RawBuilder<unknown>[]) => sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
const allOf = (conditions: readonly RawBuilder<unknown>[]) => sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
