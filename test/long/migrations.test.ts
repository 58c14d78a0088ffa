import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { PayloadEncoding } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Core0001 } from "../../backend/src/storage/database/sqlite/migrations/core-0001.ts";
import { openSqlite } from "../../backend/src/storage/database/sqlite/open.ts";
import { jsonAt } from "../../plugins/integrated-backend/src/event/payload.ts";
import { answers, assertHolds } from "../support/database/answers.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { recount, recountSessions } from "../support/database/recount.ts";
import { rounds } from "../support/run/rounds.ts";
import { fixtureBaseUrl, fixtures, unpackFixture } from "../support/database/schema-fixtures.ts";
import { newEventId, sendEvent, type Target } from "../support/sentry/send.ts";
import { held, launch, rootPassword, startServer, type Server } from "../support/service/server.ts";
import { storedEventCount } from "../support/database/stored.ts";
import { failFromCall, whyNoStrace } from "../support/service/strace.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { until } from "../support/run/until.ts";
import { coreEntities } from "../../backend/src/main.ts";

const env = { FAULTLINE_BASE_URL: fixtureBaseUrl };
const fileOf = (dataDir: string) => join(dataDir, "faultline.db");
const newest = () => unpackFixture(fixtures.at(-1) ?? "none");

/** Runs the service on a data directory, and stops it. */
async function serving(dataDir: string, work: (server: Server, client: GrpcClient) => Promise<void>): Promise<void> {
  const server = await startServer({ dataDir, env });
  const client = grpcClient(server);
  try {
    await work(server, client);
  } finally {
    client.close();
    await server.stop();
  }
}

/** Reads from a database file that a service may have open. */
function reading<T>(file: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Columns by table, in the order of the file. */
function columnsOf(database: DatabaseSync): Map<string, string[]> {
  const rows = database
    .prepare(
      `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name not like 'sqlite_%' and t.name <> 'mikro_orm_migrations'
        and t.name not like 'integrated_search%' -- FTS5's tables, and what the service does with them while it runs`,
    )
    .all();
  const byTable = Map.groupBy(rows, ({ table }) => String(table));
  return new Map([...byTable].map(([table, of]) => [table, of.map(({ column }) => String(column))]));
}

/** All rows of some columns of each table that has them, in a fixed order. */
function dump(file: string, columns: Map<string, string[]>): Record<string, unknown[]> {
  return reading(file, (database) => {
    const there = columnsOf(database);
    const tables = [...columns].flatMap(([table, names]) => {
      const kept = names.filter((name) => there.get(table)?.includes(name));
      if (kept.length === 0) return [];
      const order = kept.map((_, n) => n + 1);
      return [[table, database.prepare(`select ${kept.join(", ")} from ${table} order by ${order.join(", ")}`).all()]];
    });
    return Object.fromEntries(tables) as Record<string, unknown[]>; // pairs of a name and its rows
  });
}

/** The JSON of all events with a separate row for it. */
function payloadsOf(file: string) {
  const sql = `select e.project_id, lower(hex(e.event_id)) as event_id, p.encoding, p.start, p.length, p.content
    from integrated_event e join integrated_payload p on p.event_row_id = e.id`;
  const rows = reading(file, (database) => database.prepare(sql).all());
  return Promise.all(
    rows.map(async ({ project_id: projectId, event_id: eventId, encoding, start, length, content }) => {
      const place = { encoding: Number(encoding) as PayloadEncoding, start: Number(start), length: Number(length) };
      const json = await jsonAt({ ...place, content: Buffer.from(content as Uint8Array) }); // a blob, by its column
      return { projectId: Number(projectId), eventId: String(eventId), json: json.toString() };
    }),
  );
}

/** Every table, index and trigger, as SQL. */
function schemaOf(file: string): unknown[] {
  const sql = `select type, name, tbl_name, sql from sqlite_schema where name not like 'sqlite_stat%' order by type, name`;
  return reading(file, (database) => database.prepare(sql).all());
}

/** The project of a fixture that stores events here, with its recorded key. */
async function webProject(client: GrpcClient): Promise<Target> {
  const { projects } = await client.projects.listProjects({ query: "acme/web" }, client.auth);
  const id = projects[0]?.projectId ?? 0;
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

/** The oldest takes every step, the newest the last ones. */
const migratedFrom = rounds({ short: fixtures.filter((_, n) => n === 0 || n === fixtures.length - 1), long: fixtures });

const fresh = tempDir();
await serving(fresh, () => Promise.resolve());

/**
 * Tables that a running service writes by itself: payloads may be packed into blocks at any time, so that what the service
 * returns of each of them is compared, and their bytes are counted again at the end; and it keeps its time, and notes at each
 * start which plugins take changes.
 */
const movesOn = [
  "integrated_payload",
  "integrated_packed",
  "integrated_block",
  "integrated_usage",
  "settled_time",
  "error_change_reader",
];

for (const name of migratedFrom)
  test(`a database of ${name} is migrated: it holds and returns what it did, works, and has the schema of a new one`, async () => {
    const { dataDir, recorded, daysLater } = unpackFixture(name);
    const file = fileOf(dataDir);
    const columns = reading(file, columnsOf);
    const before = dump(file, columns);
    const payloads = await payloadsOf(file);
    assert.equal([before["integrated_event"]?.length, payloads.length], [40, 40]);

    await serving(dataDir, async (server, client) => {
      const after = dump(file, columns);
      for (const [table, rows] of Object.entries(after)) {
        if (!movesOn.includes(table)) assert.equal(rows, before[table], table);
      }
      for (const { projectId, eventId, json } of payloads) {
        const { event } = await client.errors.getEvent({ projectId, eventId }, client.auth);
        assert.is(event?.payloadJson, json);
      }
      assert.equal(schemaOf(file), schemaOf(fileOf(fresh)));
      assertHolds(await answers(client, daysLater), recorded.answers);

      await client.accounts.signIn({ username: "root", password: rootPassword });
      await client.projects.listProjects({}, { token: recorded.sessionToken });
      const project = await webProject(client);
      const hasPrefix = columns.has("inbound_filter"); // as all keys made since
      assert.match(project.key, hasPrefix ? /^flck_[0-9a-f]{32}$/ : /^[0-9a-f]{32}$/, "a key goes on as it was made");
      const event = { event_id: newEventId(), exception: { values: [{ type: "Error1", value: "another" }] } };
      assert.is((await sendEvent(server, project, event)).status, 200);
      assert.is(await storedEventCount(client, project.id), 41);
      if (!columns.has("inbound_filter")) await assertStopsNothing(client, project);
    });
    assert.equal(reading(file, recount), []);
    assert.equal(reading(file, recountSessions), []);
  });

/** A project of a version without filters takes what it took, and spikes are let in until its usual day is known. */
async function assertStopsNothing(client: GrpcClient, { id: projectId }: Target): Promise<void> {
  const { filters, spikeBudget } = await client.filters.getFilters({ projectId }, client.auth);
  assert.equal([filters?.revision, filters?.messages, filters?.webCrawlers, filters?.localhost], [0, [], false, false]);
  const days = (Number(spikeBudget?.beginsTime?.seconds ?? 0) * 1000 - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7, `${days}`);
}

/**
 * A hash of each file that holds data: not of empty ones, nor of SQLite's index of its log, made again at each opening.
 */
function filesOf(dataDir: string): Record<string, string> {
  const holdsData = (name: string) => !name.endsWith("-shm") && statSync(join(dataDir, name)).size > 0;
  const names = readdirSync(dataDir).filter(holdsData);
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(dataDir, name)))
      .digest("hex");
  return Object.fromEntries(names.toSorted().map((name) => [name, hash(name)]));
}

async function refusalOf(dataDir: string): Promise<string> {
  const started = launch({ dataDir, env });
  assert.is(await started.ended, 1, started.output());
  return started.output();
}

const changes: Readonly<Record<string, string>> = {
  "a newer major version": "pragma user_version = 99",
  "a newer major version that keeps no log": "pragma user_version = 99; pragma journal_mode = delete",
  "another program": "pragma application_id = 7; pragma journal_mode = delete",
};
for (const [what, sql] of Object.entries(changes))
  test(`a database of ${what} is refused, and no byte of it is changed`, async () => {
    const { dataDir } = newest();
    const database = new DatabaseSync(fileOf(dataDir));
    database.exec(sql);
    database.close();
    const before = filesOf(dataDir);
    assert.match(await refusalOf(dataDir), what === "another program" ? "of another program" : "by a newer release");
    assert.equal(filesOf(dataDir), before);
  });

test("a database of a newer major version that crashed is refused, and its log stays", async () => {
  const { dataDir } = newest();
  const crashed = tempDir();
  const database = new DatabaseSync(fileOf(dataDir));
  database.exec("pragma user_version = 99"); // it is only in the log, which the copy keeps
  for (const name of readdirSync(dataDir)) copyFileSync(join(dataDir, name), join(crashed, name));
  database.close();
  const before = filesOf(crashed);
  assert.ok("faultline.db-wal" in before);
  assert.match(await refusalOf(crashed), "by a newer release");
  assert.equal(filesOf(crashed), before);
});

test("a database of a newer minor version is served, and its unknown parts are left alone", async () => {
  const { dataDir, recorded, daysLater } = newest();
  const file = fileOf(dataDir);
  await serving(dataDir, () => Promise.resolve()); // brings it to the schema of this release
  const database = new DatabaseSync(file);
  for (const table of columnsOf(database).keys()) {
    database.exec(`alter table ${table} add column newer_text text;
      alter table ${table} add column newer_number integer not null default 7`);
  }
  database.exec(`create table newer (text text not null) strict;
    insert into newer values ('kept');
    insert into mikro_orm_migrations (name) values ('core-9999')`);
  database.exec("update integrated_error set newer_text = 'kept'; update project set newer_text = 'kept'");
  // Keys of the fixture may take one event a day, which is used up from the time of day on at which the fixture was made.
  database.exec("update client_key set events_per_day = 0");
  database.close();
  const newerOf = () =>
    reading(file, (read) => ({
      schema: schemaOf(file),
      rows: read.prepare("select * from newer").all(),
      migrations: read.prepare("select name from mikro_orm_migrations").all(),
      errors: read.prepare("select id, newer_text, newer_number from integrated_error order by id limit 8").all(),
      projects: read.prepare("select id, newer_text, newer_number from project order by id limit 2").all(),
    }));
  const before = newerOf();

  await serving(dataDir, async (server, client) => {
    assertHolds(await answers(client, daysLater), recorded.answers);
    const { auth } = client;
    const project = await webProject(client);
    for (const type of ["Error1", "Unknown"]) {
      const event = { event_id: newEventId(), exception: { values: [{ type, value: "x" }] }, user: { id: "new" } };
      assert.is((await sendEvent(server, project, event)).status, 200);
    }
    assert.is(await storedEventCount(client, project.id), 42);
    const { project: made } = await client.projects.createProject({ path: "acme/new", name: "New" }, auth);
    await client.settings.updateSettings({ projectId: made?.projectId ?? 0, active: true }, auth);
    await client.clientKeys.createClientKey({ projectId: made?.projectId ?? 0 }, auth);
    await client.projects.updateProject({ projectId: project.id, name: "Renamed" }, auth);
    await client.users.createUser({ username: "newcomer", password: "a long enough passphrase" }, auth);
    await client.accounts.signIn({ username: "newcomer", password: "a long enough passphrase" });
  });
  assert.equal(newerOf(), before);
  assert.equal(reading(file, recount), []);
});

/** Changes data and schema, and then fails. */
class Failing extends Core0001 {
  override name = "core-9999";

  override up(): void {
    this.addSql("create table newer (id integer primary key) strict");
    this.addSql("update project set name = 'changed'");
    this.addSql("alter table integrated_event add column newer text");
    this.addSql("create table project (id integer primary key) strict"); // which there is
  }
}

test("a migration of which a statement fails is reported, and leaves the database as it was", async () => {
  const { dataDir, recorded, daysLater } = newest();
  const file = fileOf(dataDir);
  const columns = reading(file, columnsOf);
  const before = [schemaOf(file), dump(file, columns)];
  const message = await openSqlite(dataDir, coreEntities, [Failing]).then(
    () => "none",
    (error: unknown) => String(error),
  );
  assert.match(message, /is unchanged\. .* table project already exists\.$/);
  assert.not.match(message, "\n");
  assert.equal([schemaOf(file), dump(file, columns)], before);
  await serving(dataDir, async (_server, client) => {
    assertHolds(await answers(client, daysLater), recorded.answers);
  });
});

const missing = whyNoStrace();
if (missing !== "") console.log(`Skipped: a disk that is full while a database is migrated, as ${missing}.`);
else
  for (const n of rounds({ short: [10], long: [1, 2, 5, 10, 20, 40, 60] }))
    test(`a disk that is full from write ${n} on refuses the start, and the next one migrates`, async () => {
      const { dataDir, recorded, daysLater } = unpackFixture(fixtures[0] ?? "none");
      const started = launch({ dataDir, env, prelude: held });
      const pid = started.process.pid ?? 0;
      await until("the process is held", () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
      const armed = await failFromCall(pid, "pwrite64", n, "ENOSPC");
      process.kill(pid, "SIGCONT");
      const ended = await started.ended;
      await armed.end();
      assert.is(ended, 1, started.output());
      assert.match(started.output(), /^Faultline cannot start\. .*(is full( or failing)?[.,]|cannot be written)/);
      await serving(dataDir, async (_server, client) => {
        assertHolds(await answers(client, daysLater), recorded.answers);
      });
      assert.equal(reading(fileOf(dataDir), recount), []);
    });

test.run();
