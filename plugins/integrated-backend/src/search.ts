import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";
import type { Words } from "./storage.ts";
import type { Tables } from "./tables.ts";

/** One word of a search: text anywhere, or a key with a value. */
export type SearchToken = { readonly text: string } | { readonly key: string; readonly value: string };

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

/** The condition an error must meet for one word. */
export function condition(words: Words, builder: Builder, token: SearchToken): Condition {
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
        builder
          .selectFrom("integrated_tag")
          .select(sql.lit(1).as("one"))
          .where(
            sql<SqlBool>`integrated_tag.error_id = integrated_error.id${words.sameProject("integrated_tag", "integrated_error")}`,
          )
          .where("integrated_tag.key", "=", token.key)
          .where("integrated_tag.value", "=", token.value),
      );
  }
}

/** ASCII letters match in either case. */
function contains(words: Words, builder: Builder, column: "title" | "value" | "culprit", text: string): Condition {
  const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return builder(column, words.like, sql<string>`${pattern} escape '\\'`);
}
