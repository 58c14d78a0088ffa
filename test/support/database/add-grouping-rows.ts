import { databaseOf } from "./database-of.ts";
import { execSql } from "./other-process.ts";

/** Later than any time of a test: work that ends by age leaves the rows alone. */
const later = 9e12;

/**
 * Writes that the events of a group belong to the error of another one, as maps that come late make it, and what the change from
 * version 1 of grouping leaves.
 */
export function addGroupingRows(dataDir: string, projectId: number): Promise<void> {
  const hash = (digit: string) => (databaseOf(dataDir) === undefined ? "x'" : "'\\x") + digit.repeat(32) + "'";
  return execSql(
    dataDir,
    `insert into integrated_alias values (${projectId}, ${hash("a")}, ${hash("b")}, 0);
    insert into integrated_claim values (${projectId}, ${hash("c")}, ${hash("d")}, 0, null, ${later});
    insert into integrated_split values (${projectId}, ${hash("e")}, 0, 0, ${later});
    insert into integrated_version_1 values (${projectId}, 0, ${later})`,
  );
}
