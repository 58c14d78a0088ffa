import { ServiceError } from "@faultline/plugin";
import { ErrorReason, type ErrorStatus } from "@faultline/proto";
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";
import type { Words } from "./storage.ts";
import type { Tables } from "./tables.ts";

/** One word of a search: text anywhere, or a key with a value. */
export type SearchToken = { readonly text: string } | Tag;

interface Tag {
  readonly key: string;
  readonly value: string;
}

/** Splits a search into words; quotes keep words together: `message:"out of memory"`. */
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

type Builder = ExpressionBuilder<Tables, "integrated_error">;
type Condition = ExpressionWrapper<Tables, "integrated_error", SqlBool>;

/**
 * The condition an error must meet for one word. Its tags are asked for where those of one key and value lie together, once
 * they are all there.
 */
export function condition(words: Words, builder: Builder, token: SearchToken, { isIndexed = false } = {}): Condition {
  if ("text" in token) {
    return builder.or([
      contains(words, builder, "title", token.text),
      contains(words, builder, "value", token.text),
      contains(words, builder, "culprit", token.text),
    ]);
  }
  switch (token.key) {
    case "level":
      return builder("level", "=", token.value.toLowerCase());
    case "error.type":
    case "type":
      return builder("type", "=", token.value);
    case "message":
    case "title":
      return builder.or([
        contains(words, builder, "title", token.value),
        contains(words, builder, "value", token.value),
      ]);
    default:
      return builder.exists(
        sql`(select 1 from ${
          isIndexed
            ? sql`integrated_tag_error as tag where tag.project_id = integrated_error.project_id and`
            : sql`integrated_tag as tag where true${words.sameProject("tag", "integrated_error")} and`
        } tag.error_id = integrated_error.id and tag.key = ${token.key} and tag.value = ${token.value})`,
      );
  }
}

function contains(words: Words, builder: Builder, column: "title" | "value" | "culprit", text: string): Condition {
  return builder.or(formsOf(text).map((form) => words.contains(column, form)));
}

/**
 * The forms in which a text is looked for. Both databases ignore the case of ASCII letters; other letters are found as they
 * were typed, in small letters, in capitals, and with a capital first.
 */
function formsOf(text: string): string[] {
  const small = text.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [text, small, text.toUpperCase(), first.toUpperCase() + rest.join("")];
  const byAscii = new Map(forms.map((form) => [form.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()), form]));
  return [...byAscii.values()];
}

/** Parts of the indexed text are enclosed by it. */
export const separator = "\x1f";

/** Before an error's status, which is the last part of its indexed text. */
const statusMark = "\x1e";

/** A piece of text that the errors of a status alone have in the index. */
export const pieceOfStatus = (status: ErrorStatus) => `${separator}${statusMark}${status}`;

/**
 * The texts of which an error has one, where a word can only match such errors: for the index of trigrams. Undefined: there
 * is no such text.
 */
export function indexedTexts(token: SearchToken): string[] | undefined {
  return "text" in token ? formsOf(token.text) : indexedParts(token);
}

function indexedParts({ key, value }: Tag): string[] | undefined {
  switch (key) {
    case "level":
      return [separator + value.toLowerCase() + separator];
    case "error.type":
    case "type":
      return [separator + value + separator];
    case "message":
    case "title":
      return formsOf(value);
    default:
      return undefined;
  }
}

const fields = new Set(["level", "error.type", "type", "message", "title"]);

/** Whether a word is the tag of an error. */
export function isTag(token: SearchToken): token is Tag {
  return "key" in token && !fields.has(token.key);
}
