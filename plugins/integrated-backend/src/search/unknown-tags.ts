import { readSearch, searchRefusal } from "@faultline/plugin";
import { nearest, SearchProblem, searchKeys, type PlacedTerm } from "@faultline/plugin/search";
import { sql, type AbortableQueryOptions } from "kysely";
import type { Storage } from "../storage.ts";
import { distinctValues } from "./distinct-values.ts";

/** Names of tags that are compared to find the nearest. */
const comparedTags = 500;

type TagTerm = Extract<PlacedTerm, { isTag: boolean }>;

/**
 * Refuses a search for a tag that no error of the project has: a misspelled name must neither look like good news nor
 * exclude nothing. In a project without tags, nothing is refused.
 */
export async function refuseUnknownTags(
  storage: Storage,
  { projectId, query }: { projectId: number; query: string },
  limits?: AbortableQueryOptions,
): Promise<void> {
  const asked = readSearch(query).filter(asksForTag);
  const keys = [...new Set(asked.map(({ key }) => key))];
  if (keys.length === 0) return;
  const has = (key: ReturnType<typeof sql>) => sql`exists (select 1 from integrated_tag_error
    where project_id = ${projectId} ${key})`;
  const answers = keys.map(
    (key, n) => sql`select cast(${n} as integer) as n, ${has(sql`and key = ${key}`)} as is_known`,
  );
  const { rows } = await sql<{ n: number; is_known: number | boolean }>`
    ${sql.join(answers, sql` union all `)}
    union all select -1, not ${has(sql``)}
      or exists (select 1 from integrated_search_fill where project_id = ${projectId})`.execute(
    storage.readExpensively,
    limits,
  );
  const known = new Map(rows.map(({ n, is_known: isKnown }) => [n, Boolean(isKnown)]));
  if (known.get(-1)) return;
  const unknown = asked.find(({ key }) => known.get(keys.indexOf(key)) === false);
  if (!unknown) return;
  const tags = (await distinctValues(storage, { projectId, tag: undefined, most: comparedTags }, limits)).filter(
    (tag) => !tag.startsWith("user."),
  );
  throw searchRefusal(new SearchProblem(problemOf(unknown, query, tags), unknown.start, unknown.end));
}

/** Excluding a tag that no error has is not a mistake if it excludes any value. */
const asksForTag = (term: PlacedTerm): term is TagTerm =>
  term.of !== "text" && term.isTag && !(term.of === "presence" && term.isNegated);

function problemOf({ key, start, end }: TagTerm, query: string, tags: readonly string[]): string {
  const [name] = nearest(key, [...Object.keys(searchKeys), ...aliases, ...tags], 1);
  const text = query.slice(start, end).replace(/^(?:!|NOT\s+)/, "");
  const isText = !/["\\[]|^(?:all|has):/i.test(text);
  return [
    `“${key}” is not a search key, and no error of this project has a tag with this name.`,
    ...(name === undefined ? [] : [`Did you mean ${name}:?`]),
    ...(isText ? [`To search for it as text, put it in quotes: "${text}".`] : []),
  ].join(" ");
}

const aliases = Object.values(searchKeys).flatMap((about) => ("aliases" in about ? about.aliases : []));
