import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { lockWaitMs } from "../../../backend/src/storage/database/sqlite/connection.ts";
import { SqliteDialect } from "../../../backend/src/storage/database/sqlite/dialect.ts";
import { execSql, takeDatabase } from "../../support/database/other-process.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { bound, stopwatch } from "../../support/measure/measured.ts";

test("writes that find the database taken fail together, and reads that wait behind them get the connection", async () => {
  const dataDir = tempDir();
  await execSql(dataDir, "create table note (text text)");
  const database = new Kysely<{ note: { text: string } }>({
    dialect: new SqliteDialect({ file: join(dataDir, "faultline.db"), access: "write", connections: 1 }),
  });
  const write = (text: string) =>
    database.transaction().execute((transaction) => transaction.insertInto("note").values({ text }).execute());
  await write("before");

  const giveBack = await takeDatabase(dataDir);
  const waiting = [
    write("refused"),
    write("refused too"),
    database.insertInto("note").values({ text: "refused as well" }).execute(),
    sql`select 1`.execute(database),
    sql`select 2`.execute(database),
  ];
  const time = stopwatch();
  const ended = await Promise.allSettled(waiting);
  // One after the other they would take twice that wait.
  bound("writes that find the database taken", time(), { atMost: 1.75 * lockWaitMs });
  await giveBack();

  assert.equal(
    ended.map(({ status }) => status),
    ["rejected", "rejected", "rejected", "fulfilled", "fulfilled"],
  );
  await write("after");
  const { rows } = await sql<{ text: string }>`select text from note`.execute(database);
  assert.equal(
    rows.map(({ text }) => text),
    ["before", "after"],
  );
  await database.destroy();
});

test.run();
