import type { Pattern } from "@faultline/plugin/search";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { storable } from "../event/storable-json.ts";
import type { Storage } from "../storage.ts";

/** The place of stored values: a tag by its key, or a user's name by its kind. */
export interface Source {
  readonly of: "tag" | "user";
  readonly name: string;
}

/**
 * Beginnings that are looked up per letter of a value. More are tried only if many spellings of the value are stored.
 */
const beginningsOfLetter = 8;

const lastLetter = "\u{10ffff}";

/** The stored spellings of values that differ from a text only in the case of letters. */
export type Spellings = (source: Source, text: string, isWhole: boolean) => readonly string[];

/** A text with requested spellings: of whole values, or of the beginnings of values. */
interface Asked {
  readonly source: Source;
  readonly text: string;
  readonly isWhole: boolean;
}

const nameOf = ({ source: { of, name }, text, isWhole }: Asked) => JSON.stringify([of, name, text, isWhole]);

/**
 * Finds the spellings of the patterns' first texts. The index is in the order of bytes, so each letter is tried in both
 * cases after the beginnings that were found. A look-up costs a microsecond, and few beginnings continue.
 */
export async function spellingsOf(
  { readExpensively, dialect }: Storage,
  projectId: number,
  patterns: readonly (readonly [Source, Pattern])[],
  limits?: AbortableQueryOptions,
): Promise<Spellings> {
  const asked = new Map(
    patterns
      .filter(([, [first]]) => first !== "")
      .map(([source, [text, ...others]]): Asked => ({ source, text: storable(text), isWhole: others.length === 0 }))
      .map((one) => [nameOf(one), one]),
  );
  if (asked.size === 0) return () => [];
  const all = [...asked.values()];
  const rows = all.map(({ source, text, isWhole }, n) => {
    const letters = Array.from(text);
    const [small, large] = [letters.map(smallOf), letters.map(largeOf)];
    const start = source.of === "user" ? `${source.name}:` : "";
    return sql`(cast(${n} as integer), cast(${projectId} as integer), cast(${source.of === "tag" ? source.name : null} as text),
      cast(${start} as text), cast(${small.join("")} as text), cast(${large.join("")} as text),
      cast(${letters.length} as integer), cast(${isWhole ? 1 : 0} as integer))`;
  });
  const most = all.reduce((sum, { text }) => sum + text.length * beginningsOfLetter, 100);
  const letter = sql`case side when 0 then substr(small, found.at + 1, 1) else substr(large, found.at + 1, 1) end`;
  const next = sql`(found.value || ${letter})`;
  const isBoth = sql`substr(small, found.at + 1, 1) <> substr(large, found.at + 1, 1)`;
  const { rows: found } = await sql<{ n: number; value: string }>`
    with recursive asked (n, project_id, key, start, small, large, size, whole) as (values ${sql.join(rows)}),
    found (n, at, value) as (
      select n, 0, start from asked
      union all
      select found.n, found.at + 1, ${next}
      from found join asked on asked.n = found.n and found.at < asked.size
        cross join (select 0 as side union all select 1) as sides
      where (side = 0 or ${isBoth}) and case
        when found.at + 1 < size and not ${isBoth} then true
        when key is null then ${begins(sql`integrated_user as u`, sql`u.user`, { next, same: dialect.sameProject("u", "asked") })}
        else ${begins(sql`integrated_tag_error as tag`, sql`tag.value`, { next, same: sql` and tag.project_id = asked.project_id and tag.key = asked.key` })}
      end
    )
    select found.n as n, substr(found.value, length(asked.start) + 1) as value
    from (select * from found limit ${most}) as found join asked on asked.n = found.n
    where found.at = asked.size`.execute(readExpensively, limits);
  const values = Map.groupBy(found, ({ n }) => n);
  const spellings = new Map(all.map((one, n) => [nameOf(one), (values.get(n) ?? []).map(({ value }) => value)]));
  return (source, text, isWhole) => spellings.get(nameOf({ source, text: storable(text), isWhole })) ?? [];
}

/** Whether a stored value begins with a text. After the last letter of a whole value, whether it is the text. */
function begins(
  table: RawBuilder<unknown>,
  column: RawBuilder<unknown>,
  { next, same }: { next: RawBuilder<unknown>; same: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`case when found.at + 1 = size and whole = 1
    then exists (select 1 from ${table} where ${column} = ${next}${same})
    else exists (select 1 from ${table} where ${column} >= ${next} and ${column} < ${next} || ${lastLetter}${same}) end`;
}

/** Replaces each letter by exactly one letter, so that both spellings of a text have the same length. */
const smallOf = (letter: string) => otherCase(letter, letter.toLowerCase());
const largeOf = (letter: string) => otherCase(letter, letter.toUpperCase());

/**
 * A letter without case, such as ǅ, remains unchanged, and so does a letter that becomes two letters in another case.
 */
function otherCase(letter: string, other: string): string {
  const isOfTwo = letter === letter.toLowerCase() || letter === letter.toUpperCase();
  return isOfTwo && Array.from(other).length === 1 ? other : letter;
}
