import { sql, type AbortableQueryOptions } from "kysely";
import { separator } from "../tokens.ts";
import type { Tag, Storage } from "../../storage.ts";

/**
 * The size of the sample that estimates how many errors match a search, and so decides how they are found. The first
 * errors in the order of their hashes are as good as a random sample.
 */
export const drawnErrors = 250;

/** Letters of a drawn error's texts that are examined. */
const drawnLetters = 500;

/** A tag of at least this many drawn errors is common. */
const commonTag = 5;

/** Tags of drawn errors that are examined, so that errors with thousands of tags cost no more. */
const drawnTags = 10_000;

/** How long a draw is used. Frequencies change slowly, and drawing takes 6 ms of a search on PostgreSQL. */
const drawMs = 10_000;

/** Maximum draws in memory, one per project: about 4 MB. */
const drawsKept = 32;

export interface DrawnError {
  readonly id: number;
  readonly status: number;
  /** All of the error's texts in lower case, with its type and level between separators. */
  readonly text: string;
}

export interface Draw {
  readonly errors: readonly DrawnError[];
  /** The estimated number of errors in the whole project. */
  readonly errorCount: number;
  /** Only common tags of the errors. */
  readonly tagged: ReadonlySet<string>;
}

/** The name of an error's tag in a draw. */
const nameOf = ({ key, value }: Tag, id: number) => [key, value, id].join(separator);

/** Whether each error of a draw has a tag. Undefined if the tag is not common. */
export function drawnWith({ errors, tagged }: Draw, tag: Tag): boolean[] | undefined {
  const had = errors.map(({ id }) => tagged.has(nameOf(tag, id)));
  return had.includes(true) ? had : undefined;
}

/** `lastHash` is in hexadecimal digits. Null if the project has no errors. */
type Answer = readonly [
  filling: number,
  drawn: readonly (readonly [id: number, status: number, text: string])[],
  lastHash: string | null,
  tagged: readonly (readonly [key: string, value: string, id: number])[],
];

/** Draws random samples of projects' errors. */
export class Draws {
  readonly #storage: Pick<Storage, "readExpensively" | "dialect">;
  readonly #kept = new Map<number, { readonly draw: Draw; readonly until: number }>();

  constructor(storage: Pick<Storage, "readExpensively" | "dialect">) {
    this.#storage = storage;
  }

  /**
   * "filling" if some errors are neither indexed nor due. "few" if the project has so few errors that all can be
   * examined.
   */
  async of(projectId: number, limits?: AbortableQueryOptions): Promise<Draw | "filling" | "few"> {
    const kept = this.#kept.get(projectId);
    if (kept && performance.now() < kept.until) return kept.draw;
    this.#kept.delete(projectId);

    const { readExpensively, dialect } = this.#storage;
    const errors = readExpensively
      .selectFrom("integrated_error")
      .select(["project_id", "id", "status", dialect.hexOf("group_hash").as("hash")])
      .select(
        sql`substr(concat_ws(${separator}, '', title, type, value, culprit, level, ''), 1, ${drawnLetters})`.as(
          "texts",
        ),
      )
      .where("project_id", "=", projectId)
      .orderBy("group_hash")
      .limit(drawnErrors);
    const tags = sql`select key, value, error_id from drawn
      join integrated_tag as tag on error_id = id${dialect.sameProject("tag", "drawn")} limit ${drawnTags}`;
    const counted = sql`select *, count(*) over (partition by key, value) as n from (${tags}) as tags`;
    const { rows } = await sql<{ answer: string }>`
      with drawn as materialized ${errors}
      select cast(${dialect.jsonArray([
        sql`(select count(*) from integrated_search_fill where project_id = ${projectId})`,
        dialect.jsonOfRows(dialect.jsonArray([sql.ref("id"), sql.ref("status"), sql.ref("texts")])),
        sql`max(hash)`,
        sql`(select ${dialect.jsonOfRows(dialect.jsonArray([sql.ref("key"), sql.ref("value"), sql.ref("error_id")]))}
          from (${counted}) as counted where n >= ${commonTag})`,
      ])} as text) as answer from drawn`.execute(readExpensively, limits);
    const [filling, drawn, lastHash, tagged] = JSON.parse(rows[0]?.answer ?? "[1, [], null, []]") as Answer;
    if (filling > 0) return "filling";
    if (drawn.length < drawnErrors || lastHash === null) return "few";
    const draw = {
      errors: drawn.map(([id, status, text]) => ({ id, status, text: text.toLowerCase() })),
      // Hashes are uniform, so the last hash of the sample gives the number of errors.
      errorCount: (drawnErrors * 2 ** 48) / (parseInt(lastHash.slice(0, 12), 16) + 1),
      tagged: new Set(tagged.map(([key, value, id]) => nameOf({ key, value }, id))),
    };
    this.#kept.set(projectId, { draw, until: performance.now() + drawMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > drawsKept && oldest !== undefined) this.#kept.delete(oldest);
    return draw;
  }
}
