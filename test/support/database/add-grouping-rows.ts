import { databaseOf } from "./database-of.ts";
import { execSql } from "./other-process.ts";

/** Later than any time in a test, so that work on old rows ignores these rows. */
const later = 9e12;

/**
 * Writes rows that assign the events of a group to the error of another group, as late source maps do, and rows of the
 * change from version 1 of grouping.
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
