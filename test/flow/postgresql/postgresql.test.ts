// limit: 300 s
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { freshDatabase, withPostgresql } from "../../support/database/postgresql.ts";
import { createProject } from "../../support/core/project.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { launch, type Server, startServer } from "../../support/service/server.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

const anyUrl = await freshDatabase();
const { password } = new URL(anyUrl);
const environment = (url: string) => ({ FAULTLINE_DATABASE_URL: url });
const started: Server[] = [];
test.after.each(async () => {
  for (const server of started.splice(0)) {
    assert.not.match(server.output(), password);
    await server.kill9();
  }
});

async function start(url: string, dataDir = tempDir()): Promise<Server> {
  const server = await startServer({ dataDir, env: environment(url) });
  started.push(server);
  return server;
}

/** The output of a start that must fail. */
async function refusedStart(url: string, dataDir = tempDir()): Promise<string> {
  const { ended, output } = launch({ dataDir, env: environment(url) });
  assert.is(await ended, 1, output());
  assert.not.match(output(), password);
  assert.match(output(), /^Faultline cannot start\. /m);
  return output();
}

const tablesOf = (url: string) =>
  withPostgresql(url, async (client) => {
    const tables = "select tablename from pg_catalog.pg_tables where schemaname = 'public' order by 1";
    return (await client.query<{ tablename: string }>(tables)).rows.map(({ tablename }) => tablename);
  });

test("an unreachable server, a wrong password and a missing database are refused in words", async () => {
  const url = await freshDatabase();
  const unreachable = new URL(url);
  unreachable.port = "1";
  assert.match(await refusedStart(unreachable.href), /Check that the server is running/);
  const wrong = new URL(url);
  wrong.password = "not-the-password";
  const refusal = await refusedStart(wrong.href);
  assert.match(refusal, /refuses the user or the password in FAULTLINE_DATABASE_URL/);
  assert.not.match(refusal, "not-the-password");
  const missing = new URL(url);
  missing.pathname += "_missing";
  assert.match(await refusedStart(missing.href), /does not exist\. Create it/);
});

test("an address of something else is refused before anything is opened", async () => {
  for (const url of ["mysql://root@127.0.0.1/x", "postgres://127.0.0.1", "nonsense"]) {
    assert.match(await refusedStart(url), /FAULTLINE_DATABASE_URL must look like postgres:\/\//);
  }
});

test("a database of another program is left as it is", async () => {
  const url = await freshDatabase();
  await withPostgresql(url, (client) => client.query("create table invoice (id integer)"));
  assert.match(await refusedStart(url), /contains tables of another program/);
  assert.equal(await tablesOf(url), ["invoice"]);
});

test("a database that holds no Unicode is refused", async () => {
  const url = new URL(anyUrl);
  url.pathname += "_in_ascii";
  await withPostgresql(anyUrl, (client) =>
    client.query(
      `create database ${url.pathname.slice(1)} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
    ),
  );
  assert.match(await refusedStart(url.href), /is encoded in SQL_ASCII/);
});

test("a database of a newer release is left as it is", async () => {
  const url = await freshDatabase();
  const dataDir = tempDir();
  await (await start(url, dataDir)).stop();
  await withPostgresql(url, (client) => client.query("update faultline set schema_major = 99"));
  assert.match(await refusedStart(url, dataDir), /written by a newer release/);
  const mark = await withPostgresql(url, (client) => client.query("select schema_major from faultline"));
  assert.equal(mark.rows, [{ schema_major: 99 }]);
});

test("services with one key file that start simultaneously on an empty database all come up, and the database is migrated once", async () => {
  const url = await freshDatabase();
  const first = tempDir();
  await (await start(await freshDatabase(), first)).stop(); // makes the key file
  const directories = Array.from({ length: 3 }, () => tempDir());
  for (const directory of directories) copyFileSync(join(first, "secrets.json"), join(directory, "secrets.json"));
  const servers = await Promise.all(directories.map((directory) => start(url, directory)));
  const project = await createProject(servers[0] as Server);
  for (const server of servers) {
    const client = grpcClient(server);
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: project.id }, client.auth);
    const keys = clientKeys.map(({ publicKey }) => publicKey);
    assert.ok(keys.includes(project.key), "each process reads what one has sealed");
    client.close();
  }
  const names = await withPostgresql(url, (client) =>
    client.query<{ name: string }>("select name from mikro_orm_migrations order by id"),
  );
  assert.is(new Set(names.rows.map(({ name }) => name)).size, names.rows.length);
  assert.ok(names.rows.length > 0);
});

test("a start names each setting that lets PostgreSQL lose what it stored, and no other", async () => {
  const url = await freshDatabase();
  const dataDir = tempDir();
  const named = async () => {
    const server = await start(url, dataDir);
    await server.stop();
    return [...server.output().matchAll(/because its setting (\w+) is off\. Turn it on/g)].map(
      ([, setting]) => setting,
    );
  };
  const never = ["fsync", "full_page_writes"]; // as the tests' server does without them
  assert.equal(await named(), never);
  await withPostgresql(url, (client) =>
    client.query(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit to off`),
  );
  assert.equal(await named(), [...never, "synchronous_commit"]);
});

test("a service with another key file than the database was made with is refused", async () => {
  const url = await freshDatabase();
  await start(url);
  const other = tempDir();
  assert.match(await refusedStart(url, other), /key file .*secrets\.json is missing/);
  const stranger = tempDir();
  await (await start(await freshDatabase(), stranger)).stop();
  assert.match(await refusedStart(url, stranger), /does not belong to the PostgreSQL database/);
});

test("a service that may read and not store is not ready, and is ready again once it may store", async () => {
  const url = await freshDatabase();
  const owner = new URL(url);
  owner.username = `owner_of_${owner.pathname.slice(1)}`;
  owner.password = "a-password-of-its-own";
  const asAdministrator = (statement: string) => withPostgresql(url, (client) => client.query(statement));
  await asAdministrator(`create role ${owner.username} login password '${owner.password}'`);
  await asAdministrator(`alter database ${owner.pathname.slice(1)} owner to ${owner.username}`);
  const server = await start(owner.href);
  const project = await createProject(server);
  const readiness = async () => (await fetch(`${server.url}/-/readiness`)).status;
  const send = async () => (await sendEvent(server, project, { event_id: newEventId(), message: "x" })).status;
  for (const table of ["integrated_event", "integrated_payload", "integrated_session", "integrated_feedback"]) {
    await asAdministrator(`revoke insert on ${table} from ${owner.username}`);
    await until(`not ready without ${table}`, async () => (await readiness()) === 503);
    await asAdministrator(`grant insert on ${table} to ${owner.username}`);
    await until(`ready with ${table}`, async () => (await readiness()) === 200);
  }
  assert.is(await send(), 200);
  await asAdministrator(`revoke insert on integrated_event from ${owner.username}`);
  assert.is(await send(), 503);
  assert.is(await readiness(), 503, "at once, by the outcome of the batch");
  const stored = await asAdministrator("select event_count from integrated_usage");
  assert.equal(stored.rows, [{ event_count: "1" }], "what readiness tries is not kept");
});

test("changes that are checked first take turns, in several processes too", async () => {
  const url = await freshDatabase();
  const first = tempDir();
  const one = await start(url, first);
  const second = tempDir();
  copyFileSync(join(first, "secrets.json"), join(second, "secrets.json"));
  const clients = [grpcClient(one), grpcClient(await start(url, second))];
  const [client] = clients;
  assert.ok(client);
  // Two processes block each other's administrator simultaneously. One must be left.
  const { users } = await client.users.listUsers({}, client.auth);
  const root = users[0]?.userId ?? 0;
  for (let round = 0; round < 10; round++) {
    const made = await client.users.createUser(
      { username: `admin-${round}`, password: "a long enough password", isAdmin: true },
      client.auth,
    );
    const ids = [root, made.user?.userId ?? 0];
    const answers = await Promise.all(
      clients.map((at, n) =>
        at.users.updateUser({ userId: ids[n] ?? 0, isAdmin: false }, client.auth).then(
          () => true,
          () => false,
        ),
      ),
    );
    const left = await withPostgresql(url, (sql) =>
      sql.query(`select id from "user" where is_admin and not is_blocked`),
    );
    assert.ok(left.rows.length >= 1, `no administrator is left after ${answers.join()}`);
    await withPostgresql(url, (sql) => sql.query(`update "user" set is_admin = (id = ${root})`));
  }
  for (const each of clients) each.close();
});

test("backups are refused, with the programs that make them", async () => {
  const target = join(tempDir(), "backup");
  mkdirSync(target);
  for (const command of ["backup", "verify", "restore"]) {
    const { code, stderr } = await commandHere([command, target], environment(anyUrl));
    assert.is(code, 1);
    assert.match(stderr, /pg_dump and pg_restore.*secrets\.json/s);
    assert.not.match(stderr, password);
  }
});

test("a move that cannot begin says why in one sentence, like a start", async () => {
  const source = tempDir();
  const made = await startServer({ dataDir: source, env: { FAULTLINE_DATABASE_URL: "" } });
  await made.stop();
  const url = await freshDatabase();
  const name = new URL(url).pathname.slice(1);
  const mover = new URL(url);
  [mover.username, mover.password] = [`mover_of_${name}`, "a-password-of-its-own"];
  const wrong = new URL(mover);
  wrong.password = "not-the-password";
  const missing = new URL(mover);
  missing.pathname += "_missing";
  const asAdministrator = (statement: string) => withPostgresql(url, (client) => client.query(statement));
  await asAdministrator(`create role ${mover.username} login password '${mover.password}'`);
  for (const [statement, to, words] of [
    [
      "select 1",
      mover,
      /does not let this user create and use tables in it\. Make the user its owner\. PostgreSQL said: permission denied for schema public\.$/,
    ],
    [
      "revoke usage on schema public from public",
      mover,
      /does not let this user create and use tables in it\. .* no schema has been selected to create in\.$/,
    ],
    [
      `revoke connect on database ${name} from public`,
      mover,
      /does not let this user connect to it\. Make the user its owner/,
    ],
    [
      "select 1",
      wrong,
      /refuses the user or the password in the address to move to\. Correct them, or allow the user \(pg_hba\.conf\)\.$/,
    ],
    ["select 1", missing, /does not exist\. Create it, or correct the address to move to\.$/],
  ] as const) {
    await asAdministrator(statement);
    const { code, stderr } = await commandHere(["move", "--to", to.href], { FAULTLINE_DATA_DIR: source });
    assert.is(code, 1);
    assert.match(stderr.trim(), /^faultline: The PostgreSQL database /);
    assert.match(stderr.trim(), words);
    assert.not.match(stderr, "StartRefusal");
  }
});

test.run();
