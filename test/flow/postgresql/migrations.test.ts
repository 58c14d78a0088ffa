import { test } from "uvu";
import * as assert from "uvu/assert";
import { openPostgresql } from "../../../backend/src/storage/database/postgresql/open.ts";
import { PostgresqlCore0001 } from "../../../backend/src/storage/database/postgresql/migrations/core-0001.ts";
import { startPostgresql, withPostgresql, type PostgresqlClient } from "../../support/database/postgresql.ts";
import { until } from "../../support/run/until.ts";
import { coreEntities } from "../../../backend/src/main.ts";

const postgresql = await startPostgresql();
test.after(() => postgresql.stop("immediate"));

class Added extends PostgresqlCore0001 {
  override name = "core-9998";

  override up(): void {
    this.addSql("alter table project add column added text");
  }
}

/** Changes data and schema, and then fails. */
class Failing extends PostgresqlCore0001 {
  override name = "core-9999";

  override up(): void {
    this.addSql("create table newer (id integer primary key)");
    this.addSql("update faultline set schema_major = 7");
    this.addSql("alter table project add column newer text");
    this.addSql("create table project (id integer primary key)"); // which there is
  }
}

type Migration = typeof PostgresqlCore0001;

async function open(url: string, ...migrations: Migration[]): Promise<void> {
  const database = await openPostgresql(url, coreEntities, [PostgresqlCore0001, ...migrations]);
  await database.close();
}

const columnsOf = (client: PostgresqlClient) =>
  client
    .query<{ column: string }>(
      "select table_name || '.' || column_name as column from information_schema.columns where table_schema = 'public' order by 1",
    )
    .then(({ rows }) => rows.map(({ column }) => column));

test("a migration that needs what somebody reads for long makes nobody wait longer than a moment, and comes after", async () => {
  const url = await postgresql.createDatabase();
  await open(url);
  let isMigrated = false;
  await withPostgresql(url, (holder) =>
    withPostgresql(url, async (reader) => {
      await holder.query("begin");
      await holder.query("select count(*) from project");
      const migrating = open(url, Added).then(() => (isMigrated = true));
      await until("the migration waits for the lock", async () => {
        const { rows } = await reader.query(
          "select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'",
        );
        return rows.length > 0;
      });
      // Readers stand behind the migration, which gives up after 200 ms each time; one of 40 would meet it in any case.
      await reader.query("set lock_timeout = '1500ms'");
      for (let n = 0; n < 40; n++) {
        await reader.query("select count(*) from project");
        await reader.query("select pg_sleep(0.02)");
      }
      assert.not(isMigrated);
      await holder.query("commit");
      await migrating;
      assert.ok((await columnsOf(reader)).includes("project.added"));
    }),
  );
});

test("a migration of which a statement fails is reported, and leaves the database as it was", async () => {
  const url = await postgresql.createDatabase();
  await open(url);
  await withPostgresql(url, async (client) => {
    const before = [await columnsOf(client), (await client.query("select * from faultline")).rows];
    const message = await open(url, Failing).then(
      () => "none",
      (error: unknown) => String(error),
    );
    assert.match(message, /is unchanged since before the step core-9999\. .*already exists/);
    assert.not.match(message, "\n");
    assert.equal([await columnsOf(client), (await client.query("select * from faultline")).rows], before);
  });
  await open(url, Added);
});

test.run();
