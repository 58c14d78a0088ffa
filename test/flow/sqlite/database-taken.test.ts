// quiet: measures times
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { SqliteDialect } from "../../../backend/src/storage/database/sqlite/dialect.ts";
import { execSql, takeDatabase } from "../../support/database/other-process.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

test("transactions that find the database taken fail, and callers that wait behind them get the connection", async () => {
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
    sql`select 1`.execute(database),
    sql`select 2`.execute(database),
  ];
  const ended = await Promise.allSettled(waiting);
  await giveBack();

  assert.equal(
    ended.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled", "fulfilled"],
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
