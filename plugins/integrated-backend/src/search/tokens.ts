import type { ErrorStatus } from "@faultline/proto";
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";
import type { SearchToken, Tag, SqlDialect } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** The words that decide. A text within another text is redundant, because it occurs wherever the other does. */
export function decisive(tokens: readonly SearchToken[]): SearchToken[] {
  const isImplied = (token: SearchToken, n: number) =>
    tokens.some((by, m) => implies(by, token) && !(implies(token, by) && n <= m)); // of equal words the first is kept
  return tokens.filter((token, n) => !isImplied(token, n));
}

function implies(token: SearchToken, implied: SearchToken): boolean {
  if (!("forms" in token) || !("forms" in implied) || (token.of === "text" && implied.of === "message")) return false;
  // A text with letters outside of ASCII has several forms, and a form need not be part of each form of the other text.
  const hasOneForm = token.forms.length + implied.forms.length === 2;
  return hasOneForm && asciiSmall(token.forms[0]).includes(asciiSmall(implied.forms[0]));
}

/** Whether a word is the tag of an error. */
export function isTag(token: SearchToken): token is SearchToken & Tag {
  return token.of === "tag";
}

/** The columns in which a text is searched for. */
const columns = { text: ["title", "value", "culprit"], message: ["title", "value"] } as const;

type Builder = ExpressionBuilder<Tables, "integrated_error">;
type Condition = ExpressionWrapper<Tables, "integrated_error", SqlBool>;

/**
 * The condition that an error must meet for one word. Once all tags of the project are indexed, it reads them from the
 * table sorted by key and value.
 */
export function condition(
  dialect: SqlDialect,
  builder: Builder,
  token: SearchToken,
  { isIndexed = false } = {},
): Condition {
  switch (token.of) {
    case "text":
    case "message":
      return builder.or(
        columns[token.of].flatMap((column) => token.forms.map((form) => dialect.contains(column, form))),
      );
    case "level":
      return builder("level", "=", token.value);
    case "type":
      return builder(sql`lower(type)`, "=", asciiSmall(token.value));
    case "tag":
      return builder.exists(
        sql`(select 1 from ${
          isIndexed
            ? sql`integrated_tag_error as tag where tag.project_id = integrated_error.project_id and`
            : sql`integrated_tag as tag where true${dialect.sameProject("tag", "integrated_error")} and`
        } tag.error_id = integrated_error.id and tag.key = ${token.key} and tag.value = ${token.value})`,
      );
  }
}

/**
 * The forms in which a text is searched for. Both databases ignore the case of ASCII letters. Other letters are
 * searched for as typed, in lower case, in upper case, and capitalized.
 */
export function formsOf(text: string): [string, ...string[]] {
  const small = text.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [small, text.toUpperCase(), first.toUpperCase() + rest.join("")];
  const others = new Map(forms.map((form) => [asciiSmall(form), form]));
  others.delete(asciiSmall(text));
  return [text, ...others.values()];
}

/** A text with its ASCII letters in lower case, the way both databases compare them. */
export const asciiSmall = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Encloses or separates the parts of the indexed text. */
export const separator = "\x1f";

/** Precedes an error's status, which is the last part of its indexed text. */
const statusMark = "\x1e";

/** A piece of text that only errors of the status have in the index. */
export const pieceOfStatus = (status: ErrorStatus) => `${separator}${statusMark}${status}`;

/**
 * Texts for lookups in the trigram index: every error that matches a word has at least one of them. Undefined if there
 * are no such texts.
 */
export function indexedTexts(token: SearchToken): readonly string[] | undefined {
  switch (token.of) {
    case "text":
    case "message":
      return token.forms;
    case "level":
    case "type":
      return [separator + token.value + separator];
    case "tag":
      return undefined;
  }
}

/** Whether a word contains the separator that the index has between the parts of an error. */
export const hasSeparator = (token: SearchToken) => textOf(token).includes(separator);

/** The text to look up. */
export const textOf = (token: SearchToken) => ("forms" in token ? token.forms[0] : token.value);
