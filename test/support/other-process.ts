import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

// Locks of files are those of a process: SQL that a service in the test's own process is to meet must run in another.

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
