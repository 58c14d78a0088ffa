// limit: 300 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { repositoryRoot } from "../support/service/server.ts";
import { permissionsDocument } from "./document.ts";
import { boundaries, tryMatrix } from "./matrix.ts";

/** long/permissions.test.ts tries every cell. */
const { chosenCount, cellCount } = await tryMatrix(boundaries);

test("for each row and kind of token some cells are tried, and not all", () => {
  assert.ok(chosenCount > cellCount / 5 && chosenCount < cellCount, `${chosenCount} of ${cellCount}`);
});

test("docs/permissions.md prints the table as it is", () => {
  const stored = readFileSync(join(repositoryRoot, "docs/permissions.md"), "utf8");
  assert.is(stored, permissionsDocument(), "write it again: node test/permissions/write.ts");
});

test.run();
