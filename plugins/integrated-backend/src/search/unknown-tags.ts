import type { AbortableQueryOptions, Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import type { SearchPlan } from "./plan.ts";
import { isTag } from "./tokens.ts";

/** The tags of a search that no error of its project has: a misspelled name must not look like good news. */
export async function unknownTags(
  read: Kysely<Tables>,
  { projectId, tokens, filters }: Pick<SearchPlan, "projectId" | "tokens" | "filters">,
  limits?: AbortableQueryOptions,
): Promise<string[]> {
  const ofTokens = tokens.filter(isTag).map(({ key }) => key);
  const ofFilters = filters.flatMap(({ term }) =>
    term.of !== "text" && term.isTag && !term.isNegated ? term.key : [],
  );
  const keys = [...new Set([...ofTokens, ...ofFilters])];
  const known = await Promise.all(
    keys.map((key) =>
      read
        .selectFrom("integrated_tag_error")
        .select("key")
        .where("project_id", "=", projectId)
        .where("key", "=", key)
        .limit(1)
        .executeTakeFirst(limits),
    ),
  );
  return keys.filter((_, n) => known[n] === undefined);
}
