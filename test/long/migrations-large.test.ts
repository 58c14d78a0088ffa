import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { MigrationClass } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openSqlite } from "../../backend/src/storage/database/sqlite/open.ts";
import { rounds } from "../support/run/rounds.ts";
import { fixtures, unpackFixture } from "../support/database/schema-fixtures.ts";
import { repositoryRoot } from "../support/service/server.ts";
import { coreEntities } from "../../backend/src/main.ts";

/** With 50,000 events, the test finds a step that reads 40 bytes an event; with 100,000, a step that reads 20. */
const events = rounds({ short: 50_000, long: 100_000 });

/** Steps that do read or write what grows with the events: the bytes that each may cost an event, and why it is borne. */
const costly: readonly { step: string; bytesAnEvent: number; reason: string }[] = [
  {
    step: "integrated-0003",
    bytesAnEvent: 150,
    reason: "retention needs the index from the first hour on; 4 s of a core for ten million events",
  },
];

/** Gives a database of the first schema one error with many events. */
function enlarge(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    insert into integrated_error
      select 1000000, project_id, x'00', grouping_version, title, type, value, culprit, level, platform, status, ${events},
        1000, first_seen_at, last_seen_at, first_release, last_release, status_changed_at, reopened_at
      from integrated_error limit 1;
    with recursive n (n) as (select 1000000 union all select n + 1 from n limit ${events})
      insert into integrated_event
        select n, project_id, randomblob(16), 1000000, last_seen_at - n % 3600000, last_seen_at, title, 'user ' || (n % 1000), '', '',
          level
        from n, integrated_error where id = 1000000;
    insert into integrated_payload select id, 0, 0, 500, randomblob(500) from integrated_event where error_id = 1000000;
    insert into integrated_hour
      select error_id, occurred_at / 3600000, count(*) from integrated_event where error_id = 1000000 group by 1, 2;
    drop trigger integrated_user_added;
    insert into integrated_user
      select distinct error_id, user, received_at / 86400000 from integrated_event where error_id = 1000000;
    create trigger integrated_user_added after insert on integrated_user begin
      update integrated_error set user_count = user_count + 1 where id = new.error_id;
    end`);
  database.close();
}

/** Every migration that there is, found by its file. */
async function allMigrations(): Promise<MigrationClass[]> {
  const files = globSync(
    ["backend/src/storage/database/sqlite/migrations/*.ts", "plugins/*/src/sqlite/migrations/*.ts"],
    {
      cwd: repositoryRoot,
    },
  );
  const modules: Record<string, MigrationClass>[] = [];
  for (const file of files.toSorted()) modules.push(await import(join(repositoryRoot, file)));
  return modules.flatMap((module) => Object.values(module));
}

/** Migrates a data directory; the bytes that this read and wrote. */
async function bytesOfMigrating(dataDir: string): Promise<number> {
  const migrations = await allMigrations();
  const before = bytesSoFar();
  const { orm } = await openSqlite(dataDir, coreEntities, migrations);
  const bytes = bytesSoFar() - before;
  await orm.close();
  return bytes;
}

function bytesSoFar(): number {
  const io = readFileSync("/proc/self/io", "utf8");
  return [...io.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

// Nobody is served before the last step is done: a step that reads or writes what grows with the events would take
// minutes where there are ten million.
if (process.platform !== "linux") console.log("Skipped: what a migration reads and writes, as only Linux reports it.");
else
  test("migrating a large database reads and writes no more than migrating a small one", async () => {
    const oldest = fixtures[0] ?? "none";
    await bytesOfMigrating(unpackFixture(oldest).dataDir); // loads the modules
    const small = await bytesOfMigrating(unpackFixture(oldest).dataDir);
    const { dataDir } = unpackFixture(oldest);
    const file = join(dataDir, "faultline.db");
    enlarge(file);
    const size = statSync(file).size;
    assert.ok(size > events * 800, `${size}`);

    const borne = costly.reduce((sum, { bytesAnEvent }) => sum + bytesAnEvent * events, 0);
    const more = (await bytesOfMigrating(dataDir)) - small;
    console.log(`  ${events} events, ${size} bytes: ${more} bytes more were read and written than of 40 events`);
    assert.ok(more < 2_000_000 + borne, `${more} bytes more were read and written of a database of ${size} bytes`);
  });

test.run();
