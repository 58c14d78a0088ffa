import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { SqliteDialect } from "../../../backend/src/storage/database/sqlite/dialect.ts";
import { execSql } from "../../support/database/other-process.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

test("a writer that goes ahead waits for one other transaction, and takes turns with the others", async () => {
  const dataDir = tempDir();
  await execSql(dataDir, "create table note (text text)");
  const writer = new SqliteDialect({ file: join(dataDir, "faultline.db"), access: "write", connections: 1 });
  const others = new Kysely<{ note: { text: string } }>({ dialect: writer });
  const ahead = new Kysely<{ note: { text: string } }>({ dialect: writer.ahead });
  const write = (database: typeof others, text: string) =>
    database.transaction().execute((transaction) => transaction.insertInto("note").values({ text }).execute());

  const written: Promise<unknown>[] = [];
  await others.transaction().execute(async (transaction) => {
    await transaction.insertInto("note").values({ text: "running" }).execute();
    for (const text of ["other 1", "other 2", "other 3"]) written.push(write(others, text));
    for (const text of ["ahead 1", "ahead 2"]) written.push(write(ahead, text));
    await new Promise(setImmediate); // all wait
  });
  await Promise.all(written);
  const rows = await others
    .selectFrom("note")
    .select("text")
    .orderBy(sql`rowid`)
    .execute();
  assert.equal(
    rows.map(({ text }) => text),
    ["running", "ahead 1", "other 1", "ahead 2", "other 2", "other 3"],
  );
  await ahead.destroy();
  await others.destroy();
});

test.run();
