// limit: 300 s
import { test } from "uvu";
import * as assert from "uvu/assert";
import { everyCell, tryMatrix } from "../permissions/matrix.ts";

const { chosenCount, cellCount } = await tryMatrix(everyCell);

test("every cell of the matrix is tried", () => assert.is(chosenCount, cellCount));

test.run();
