import type { SearchToken, Tag } from "./search-token.ts";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason, type ErrorStatus } from "@faultline/proto";
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";
import type { SqlDialect } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** Splits a search into words; quotes group words: `message:"out of memory"`. */
export function searchTokens(query: string): SearchToken[] {
  if (query.length > 200) {
    throw new ServiceError(ErrorReason.INVALID_FIELD, "A search has at most 200 characters.", { field: "query" });
  }
  const words = query.match(/(?:[\w.-]+:)?"[^"]*"?|\S+/g) ?? [];
  return words.map((word) => {
    const match = /^([\w.-]+):(.+)$/s.exec(word);
    const unquoted = (text: string) => text.replace(/^"|"$/g, "");
    return match?.[1] && match[2] && !match[2].startsWith("//")
      ? { key: match[1], value: unquoted(match[2]) }
      : { text: unquoted(word) };
  });
}

/** The condition that one word of a search sets: a text in one of its forms, or the value of a field or of a tag. */
export type Part =
  | { readonly of: "text" | "message"; readonly forms: readonly string[] }
  | { readonly of: "level" | "type"; readonly value: string }
  | (Tag & { readonly of: "tag" });

export function partOf(token: SearchToken): Part {
  if ("text" in token) return { of: "text", forms: formsOf(token.text) };
  switch (token.key) {
    case "level":
      return { of: "level", value: token.value.toLowerCase() };
    case "error.type":
    case "type":
      return { of: "type", value: token.value };
    case "message":
    case "title":
      return { of: "message", forms: formsOf(token.value) };
    default:
      return { of: "tag", ...token };
  }
}

/** The words that decide: a text that is part of another one is redundant, as it occurs wherever the other does. */
export function decisive(tokens: readonly SearchToken[]): SearchToken[] {
  const parsed = tokens.map((token) => ({ token, part: partOf(token) })); // once per word: 100 words have 10,000 pairs
  const isImplied = (part: Part, n: number) =>
    parsed.some(({ part: by }, m) => implies(by, part) && !(implies(part, by) && n <= m)); // of equal words the first is kept
  return parsed.filter(({ part }, n) => !isImplied(part, n)).map(({ token }) => token);
}

function implies(part: Part, implied: Part): boolean {
  if (!("forms" in part) || !("forms" in implied) || (part.of === "text" && implied.of === "message")) return false;
  const [form, formOfOther] = [part.forms[0] ?? "", implied.forms[0] ?? ""];
  // A text with letters outside of ASCII has several forms, and a form need not be part of each form of the other.
  return part.forms.length + implied.forms.length === 2 && asciiSmall(form).includes(asciiSmall(formOfOther));
}

/** Whether a word is the tag of an error. */
export function isTag(token: SearchToken): token is Tag {
  return partOf(token).of === "tag";
}

/** The columns in which a text is searched for. */
const columns = { text: ["title", "value", "culprit"], message: ["title", "value"] } as const;

type Builder = ExpressionBuilder<Tables, "integrated_error">;
type Condition = ExpressionWrapper<Tables, "integrated_error", SqlBool>;

/**
 * The condition that an error must meet for one word. Once all its tags are indexed, it reads them from the table that
 * is sorted by key and value.
 */
export function condition(
  dialect: SqlDialect,
  builder: Builder,
  token: SearchToken,
  { isIndexed = false } = {},
): Condition {
  const part = partOf(token);
  switch (part.of) {
    case "text":
    case "message":
      return builder.or(columns[part.of].flatMap((column) => part.forms.map((form) => dialect.contains(column, form))));
    case "level":
    case "type":
      return builder(part.of, "=", part.value);
    case "tag":
      return builder.exists(
        sql`(select 1 from ${
          isIndexed
            ? sql`integrated_tag_error as tag where tag.project_id = integrated_error.project_id and`
            : sql`integrated_tag as tag where true${dialect.sameProject("tag", "integrated_error")} and`
        } tag.error_id = integrated_error.id and tag.key = ${part.key} and tag.value = ${part.value})`,
      );
  }
}

/**
 * The forms in which a text is searched for. Both databases ignore the case of ASCII letters; other letters are found
 * as they were typed, in lower case, in upper case, and capitalised.
 */
function formsOf(text: string): string[] {
  const small = text.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [text, small, text.toUpperCase(), first.toUpperCase() + rest.join("")];
  return [...new Map(forms.map((form) => [asciiSmall(form), form])).values()];
}

/** A text with its ASCII letters in lower case, as both databases compare them. */
export const asciiSmall = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Encloses or separates the parts of the indexed text. */
export const separator = "\x1f";

/** Precedes an error's status, which is the last part of its indexed text. */
const statusMark = "\x1e";

/** A piece of text that only the errors of a status have in the index. */
export const pieceOfStatus = (status: ErrorStatus) => `${separator}${statusMark}${status}`;

/**
 * The texts of which every error that matches a word has at least one, for lookups in the trigram index. Undefined:
 * there are no such texts.
 */
export function indexedTexts(token: SearchToken): readonly string[] | undefined {
  const part = partOf(token);
  switch (part.of) {
    case "text":
    case "message":
      return part.forms;
    case "level":
    case "type":
      return [separator + part.value + separator];
    case "tag":
      return undefined;
  }
}

/** Whether a word contains the separator, which the index has between the parts of an error. */
export const hasSeparator = (token: SearchToken) => ("text" in token ? token.text : token.value).includes(separator);
