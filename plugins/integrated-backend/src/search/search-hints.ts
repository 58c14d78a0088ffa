import type { MessageInitShape } from "@bufbuild/protobuf";
import { readSearch } from "@faultline/plugin";
import { nearest, printTerm, searchKey, type PlacedTerm, type ValueTerm } from "@faultline/plugin/search";
import type { SearchHintSchema } from "@faultline/proto";
import type { AbortableQueryOptions } from "kysely";
import type { Storage } from "../storage.ts";
import { distinctValues } from "./distinct-values.ts";
import { listSearchValues } from "./search-values.ts";
import { sourcesOf, type StoredValues } from "./stored-values.ts";

type Hint = MessageInitShape<typeof SearchHintSchema>;

interface Searched {
  readonly projectId: number;
  readonly query: string;
  readonly stored: StoredValues;
}

/** Distinct values that are compared to find the nearest, for each of the two cases of the first letter. */
const comparedValues = 300;

/** The nearest existing values for each value of a search without results, if no error of the project has the value. */
export async function nearestHints(
  storage: Storage,
  searched: Searched,
  limits: AbortableQueryOptions,
): Promise<Hint[]> {
  const hints: Hint[] = [];
  for (const term of readSearch(searched.query)) {
    const hint = term.of === "text" ? wildcardHint(term) : await nearestHint(storage, term, searched, limits);
    if (hint) hints.push(hint);
  }
  return hints;
}

/** The hint that a word can have wildcards only at its ends. */
function wildcardHint(term: Extract<PlacedTerm, { of: "text" }>): Hint | undefined {
  const [first = "", ...others] = term.text.split("*").filter((part) => part !== "");
  if (others.length === 0 || term.isNegated) return undefined;
  const named = { key: "message", isTag: false, isNegated: false, isOnly: false } as const;
  const asPattern = printTerm({ of: "value", ...named, values: [[first, ...others]] });
  return {
    text: `The * in “${short(term.text)}” is taken literally. Write ${asPattern} to match any text.`,
    query: asPattern,
  };
}

async function nearestHint(
  storage: Storage,
  term: PlacedTerm,
  { projectId, query, stored }: Searched,
  limits: AbortableQueryOptions,
): Promise<Hint | undefined> {
  if (term.of !== "value" || term.isNegated || !stored.isComplete) return undefined;
  const [typed] = term.values.flatMap((value) => (value.length === 1 ? value : []));
  const sources = sourcesOf(term);
  const isStored = sources.some((source) => stored.of(source, term, term.values).length > 0);
  const isType = !term.isTag && term.key === "type";
  if (typed === undefined || isStored || (sources.length === 0 && !isType)) return undefined;
  const values = isType
    ? ((await listSearchValues(storage, { projectId, key: "type", prefix: "" }, limits)).values ?? []).flatMap(
        ({ value }) => value ?? [],
      )
    : await valuesNear(storage, { projectId, term, typed }, limits);
  const near = nearest(typed, values);
  const [first] = near;
  const what = `No error of this project has ${term.key} “${short(typed)}”.`;
  if (first === undefined) return { text: what };
  const instead = printTerm({ ...term, values: [[first]] });
  return {
    text: `${what} Similar values: ${near.map((value) => `“${short(value)}”`).join(", ")}.`,
    query: `${query.slice(0, term.start)}${instead}${query.slice(term.end)}`,
  };
}

/** Values that may be meant, and the shortest parts that identify them. */
async function valuesNear(
  storage: Storage,
  { projectId, term, typed }: { projectId: number; term: ValueTerm; typed: string },
  limits: AbortableQueryOptions,
): Promise<string[]> {
  const { before = [], after = [] } = (term.isTag ? undefined : searchKey(term.key)) ?? {};
  const letter = Array.from(typed)[0] ?? "";
  // A value searched for by its end may begin with any letter.
  const starts = before.length > 0 ? [""] : ["", letter.toUpperCase(), letter.toLowerCase()];
  const lists = await Promise.all(
    sourcesOf(term).flatMap(({ name: tag }) =>
      starts.map((from) => distinctValues(storage, { projectId, tag, from, most: comparedValues }, limits)),
    ),
  );
  const ends = lists.flat().flatMap((value) => [value, ...before.map((mark) => value.split(mark).at(-1) ?? value)]);
  return [...new Set(ends.flatMap((value) => [value, ...after.map((mark) => value.split(mark)[0] ?? value)]))];
}

/** Keys with values that are tags only since a later release. */
const untaggedKeys = new Set(["browser", "os", "device", "runtime", "file", "function"]);

const retainedMs = 90 * 86_400_000;

/** Says until when the events of a project cannot be found by a key of its search, if it still has such events. */
export async function untaggedHints(
  { readExpensively: read }: Storage,
  { projectId, query, now }: { projectId: number; query: string; now: number },
  limits: AbortableQueryOptions,
): Promise<Hint[]> {
  const asked = readSearch(query).filter((term) => term.of !== "text" && !term.isTag && untaggedKeys.has(term.key));
  const keys = [...new Set(asked.map((term) => (term.of === "text" ? "" : `${term.key}:`)))];
  if (keys.length === 0) return [];
  const row = await read
    .selectFrom("integrated_untagged")
    .select("until")
    .where("project_id", "=", projectId)
    .executeTakeFirst(limits);
  const until = Number(row?.until ?? 0);
  if (until < now - retainedMs) return [];
  const time = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return [
    {
      text: `${keys.join(" and ")} finds errors by their events since ${time} UTC. Errors without an event since then are missing.`,
    },
  ];
}

/** Values may have 200 characters. */
const short = (text: string) => (text.length > 100 ? `${text.slice(0, 99).toWellFormed()}…` : text);
