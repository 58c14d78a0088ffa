import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { tempDir } from "./temp-dir.ts";

// Locks of files are those of a process: SQL that a service in the test's own process is to meet must run in another.
// Nor may the test read that file with a second library: not seeing the locks of the first, it takes itself for the only
// one, truncates the log's index, and the first dies of SIGBUS (https://www.sqlite.org/howtocorrupt.html, 2.2.1).

const open = `
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("pragma busy_timeout = 5000");
`;
const argumentsOf = (script: string, dataDir: string, ...more: string[]) => [
  "--no-warnings",
  "--eval",
  open + script,
  join(dataDir, "faultline.db"),
  ...more,
];

/** Runs statements on the database of a service, as another program would. */
export async function execSql(dataDir: string, sql: string): Promise<void> {
  await promisify(execFile)(process.execPath, argumentsOf("database.exec(process.argv[2])", dataDir, sql));
}

/** Takes the write lock of the database as another program would; the returned function gives it back. */
export async function takeDatabase(dataDir: string): Promise<() => Promise<void>> {
  const script = `database.exec("begin immediate"); process.stdout.write("taken"); process.stdin.resume();`;
  const child = spawn(process.execPath, argumentsOf(script, dataDir), { stdio: ["pipe", "pipe", "inherit"] });
  process.once("exit", () => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    const ended = once(child, "close");
    child.stdin.end();
    await ended;
  };
}

/** A copy of the database as it is now, page by page, of a service in the test's own process; it may be running. */
export function openCopy(dataDir: string): DatabaseSync {
  const copy = join(tempDir(), "copy.db");
  execFileSync(
    process.execPath,
    argumentsOf(`require("node:sqlite").backup(database, process.argv[2])`, dataDir, copy),
  );
  return new DatabaseSync(copy);
}
