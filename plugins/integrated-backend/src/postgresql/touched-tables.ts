import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { partitioned } from "./partitions.ts";

/** Row ids carry the day of receipt; see the migration. */
const idsOfDay = 2 ** 37;

/** The tables of errors that are not partitioned. */
const ofErrors = ["integrated_error", "integrated_hour", "integrated_user", "integrated_tag"];

/**
 * The tables with rows that were deleted individually. PostgreSQL keeps the space of such rows until a vacuum:
 * autovacuum begins when a fifth of a table is dead, which a partition of a day may never reach.
 */
export class TouchedTables {
  readonly #days = new Set<number>();

  /** Notes that an event and its payload were deleted. */
  event(id: number): void {
    this.day(Math.floor(id / idsOfDay));
  }

  /** Notes that events received on a day were deleted. */
  day(day: number): void {
    this.#days.add(day);
  }

  /**
   * Frees the space of deleted rows for new rows, and returns free space at a table's end to the disk. It blocks
   * nobody. After a kill, PostgreSQL does the rest.
   */
  async vacuum(database: Kysely<Tables>, signal?: AbortSignal): Promise<void> {
    if (this.#days.size === 0) return;
    const names = [...this.#days].flatMap((day) => partitioned.map((table) => `${table}_${day}`));
    this.#days.clear();
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relname = any(${[...names, ...ofErrors]}::text[]) and relkind = 'r' and pg_table_is_visible(oid)`.execute(
      database,
    );
    for (const { name } of rows) {
      if (signal?.aborted) return;
      await sql`vacuum ${sql.table(name)}`.execute(database);
    }
  }
}
