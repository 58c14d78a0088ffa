// limit: 180 s
// alone: it crashes a database server of its own, and starts many services
import { copyFileSync, mkdirSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { startPostgresql, withPostgresql } from "../../support/database/postgresql.ts";
import { createProject } from "../../support/core/project.ts";
import { bundle, launch, repositoryRoot, type Server, startServer } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { until } from "../../support/run/until.ts";

const postgresql = await startPostgresql();
test.after(() => postgresql.stop("immediate"));

const password = new URL(postgresql.url("postgres")).password;
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

test("a server that cannot be reached, a wrong password and a missing database are refused in words", async () => {
  const url = await postgresql.createDatabase();
  const unreachable = new URL(url);
  unreachable.port = "1";
  assert.match(await refusedStart(unreachable.href), /See that the server runs/);
  const wrong = new URL(url);
  wrong.password = "not-the-password";
  const told = await refusedStart(wrong.href);
  assert.match(told, /refuses the user or the password in FAULTLINE_DATABASE_URL/);
  assert.not.match(told, "not-the-password");
  assert.match(await refusedStart(`${url}_missing`), /does not exist\. Make it/);
});

test("an address of something else is refused before anything is opened", async () => {
  for (const url of ["mysql://root@127.0.0.1/x", "postgres://127.0.0.1", "nonsense"]) {
    assert.match(await refusedStart(url), /FAULTLINE_DATABASE_URL must look like postgres:\/\//);
  }
});

test("a database of another program is left as it is", async () => {
  const url = await postgresql.createDatabase();
  await withPostgresql(url, (client) => client.query("create table invoice (id integer)"));
  assert.match(await refusedStart(url), /holds tables of another program/);
  assert.equal(await tablesOf(url), ["invoice"]);
});

test("a database that holds no Unicode is refused", async () => {
  const name = "in_ascii";
  await withPostgresql(postgresql.url("postgres"), (client) =>
    client.query(`create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`),
  );
  assert.match(await refusedStart(postgresql.url(name)), /is encoded in SQL_ASCII/);
});

test("a database of a newer release is left as it is", async () => {
  const url = await postgresql.createDatabase();
  const dataDir = tempDir();
  await (await start(url, dataDir)).stop();
  await withPostgresql(url, (client) => client.query("update faultline set schema_major = 99"));
  assert.match(await refusedStart(url, dataDir), /written by a newer release/);
  const mark = await withPostgresql(url, (client) => client.query("select schema_major from faultline"));
  assert.equal(mark.rows, [{ schema_major: 99 }]);
});

test("services with one key file that start at once on an empty database all come up, and it is migrated once", async () => {
  const url = await postgresql.createDatabase();
  const first = tempDir();
  await (await start(await postgresql.createDatabase(), first)).stop(); // makes the key file
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

test("a start tells each setting that lets PostgreSQL lose what it stored, and no other", async () => {
  const url = await postgresql.createDatabase();
  const dataDir = tempDir();
  const told = async () => {
    const server = await start(url, dataDir);
    await server.stop();
    return [...server.output().matchAll(/as its setting (\w+) is off\. Turn it on/g)].map(([, setting]) => setting);
  };
  const never = ["fsync", "full_page_writes"]; // as the tests' server does without them
  assert.equal(await told(), never);
  await withPostgresql(url, (client) =>
    client.query(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit to off`),
  );
  assert.equal(await told(), [...never, "synchronous_commit"]);
});

test("a service with another key file than the database was made with is refused", async () => {
  const url = await postgresql.createDatabase();
  await start(url);
  const other = tempDir();
  assert.match(await refusedStart(url, other), /key file .*secrets\.json is missing/);
  const stranger = tempDir();
  await (await start(await postgresql.createDatabase(), stranger)).stop();
  assert.match(await refusedStart(url, stranger), /is not the one that the PostgreSQL database was made with/);
});

test("while the server is down calls are answered UNAVAILABLE, and afterwards they work again by themselves", async () => {
  const server = await start(await postgresql.createDatabase());
  const client = grpcClient(server);
  const create = (path: string) =>
    client.projects.createProject({ path }, client.auth).then(
      () => "made",
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
  for (const round of [1, 2]) {
    assert.is(await create(`before-${round}`), "made");
    // Calls under way meet the crash at any point: before they begin, in a transaction, at their commit.
    const underWay = Promise.all(Array.from({ length: 30 }, (_, n) => create(`during-${round}-${n}`)));
    await postgresql.stop(round === 1 ? "fast" : "immediate");
    for (const answer of await underWay) assert.match(answer, /^(made|14 The database cannot be used now)/);
    assert.match(
      await create(`down-${round}`),
      /^14 The database cannot be used now, so nothing was changed\. Try again/,
    );
    await until("no readiness", async () => (await fetch(`${server.url}/-/readiness`)).status === 503);
    await postgresql.start();
    await until("readiness", async () => (await fetch(`${server.url}/-/readiness`)).ok);
    // Were connections lost at the crash, these would wait for them in vain.
    const again = await Promise.all(Array.from({ length: 30 }, (_, n) => create(`again-${round}-${n}`)));
    assert.equal([...new Set(again)], ["made"]);
  }
  client.close();
  assert.is(await server.stop(), 0);
});

test("changes that are checked first take turns, in several processes too", async () => {
  const url = await postgresql.createDatabase();
  const first = tempDir();
  const one = await start(url, first);
  const second = tempDir();
  copyFileSync(join(first, "secrets.json"), join(second, "secrets.json"));
  const clients = [grpcClient(one), grpcClient(await start(url, second))];
  const [client] = clients;
  assert.ok(client);
  // Each administrator is blocked by another process at once: one must be left.
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
    const run = promisify(execFile)(process.execPath, [bundle, command, target], {
      cwd: repositoryRoot,
      env: { PATH: process.env["PATH"], ...environment(postgresql.url("postgres")) },
    });
    const failure = await run.then(
      () => "done",
      ({ stderr }: { stderr: string }) => stderr,
    );
    assert.match(failure, /pg_dump and pg_restore.*secrets\.json/s);
    assert.not.match(failure, password);
  }
});

test.run();
