import { sql } from "kysely";
import type { Words } from "../storage.ts";

/** SQLite's words; its LIKE ignores the case of ASCII letters. */
export const words: Words = {
  like: "like",
  joinInOrder: sql`cross join`,
  hourList: sql<string>`json_group_array(json_array(hour, event_count))`,
  sortsByRowId: true,
  locked: sql``, // the one writer has the file for itself
  bigInteger: sql`integer`,
  hiddenHash: sql`unhex(hex(group_hash) || printf('%016x', id))`,
  sameProject: () => sql``,
  valuesOf: (numbers, name) => sql`json_each(${JSON.stringify(numbers)}) as ${sql.ref(name)}`,
};
