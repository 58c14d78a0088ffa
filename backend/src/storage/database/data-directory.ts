import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync, type Dirent } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import sqlite3 from "sqlite3";
import { StartRefusal, type Log } from "@faultline/plugin";
import { keyFile } from "../secrets/key-ring.ts";

/** Makes the data directory and locks it for this process; the system releases the lock when the process ends. */
export async function claimDataDirectory(dataDir: string): Promise<{ release(): Promise<void> }> {
  let entries: Dirent[];
  try {
    makeDirectory(dataDir);
    entries = readdirSync(dataDir, { withFileTypes: true });
  } catch (error) {
    throw new StartRefusal(
      `The data directory ${dataDir} cannot be created. Choose another with FAULTLINE_DATA_DIR, or give this user write access.`,
      error,
    );
  }
  // We would write to the target of a foreign link. The directory itself may be a link.
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link) {
    throw new StartRefusal(
      `The data directory ${dataDir} contains the symbolic link ${link.name}. Remove it, or put the file itself there.`,
    );
  }
  refuseFilesOfOthers(dataDir, entries);
  return lock(dataDir);
}

/**
 * Makes a directory that only its owner can read, and its missing parents. Node's own way never returns if the system
 * makes no directory in an existing parent, such as /proc.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path)); // ends at "/" or ".", which exist
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process was faster
  }
}

/** The name of the user that this process runs as, or its number if the system has no name for it. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** Files that are written. The key file may be mounted read-only. */
const writtenFiles = ["lock", "faultline.db", "faultline.db-wal", "faultline.db-shm"];

/** SQLite opens a file that it may not write as read-only, and then every event would fail. */
function refuseFilesOfOthers(dataDir: string, entries: readonly Dirent[]): void {
  for (const { name } of entries) {
    const isWritten = writtenFiles.includes(name);
    const path = join(dataDir, name);
    if (!isWritten && path !== keyFile(dataDir)) continue;
    try {
      accessSync(path, constants.R_OK | (isWritten ? constants.W_OK : 0));
    } catch (error) {
      throw new StartRefusal(
        `The file ${path} cannot be ${isWritten ? "written" : "read"}. ${mending(path, error)}`,
        error,
      );
    }
  }
}

/** The sentence that says how to make a file accessible. */
function mending(path: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "EROFS")
    return "Its file system is mounted read-only: mount it with write access.";
  const owner = statSync(path).uid;
  if (owner === process.getuid?.()) return `Its mode denies access to its owner. Run: chmod u+rw ${path}`;
  const user = currentUser();
  return `It belongs to the user with the number ${owner}, and Faultline runs as ${user}. Run: chown -R ${user} ${dirname(path)}`;
}

/**
 * Warns of a key file that other users of the machine can read; a group may read it, because mounted secrets allow
 * that.
 */
export function warnOfOpenKeyFile(dataDir: string, log: Log): void {
  const path = keyFile(dataDir);
  const mode = statSync(path).mode & 0o777;
  if (process.platform === "win32" || (mode & 0o027) === 0) return;
  log.warn(
    { path, mode: mode.toString(8) },
    `other users of this machine can read or change the key file, and with a copy of the database all its secrets. Run: chmod 600 ${path}`,
  );
}

/** SQLite's own file lock on an empty database: it ends with the process, even after a crash, and needs no clean-up. */
async function lock(dataDir: string): Promise<{ release(): Promise<void> }> {
  const file = join(dataDir, "lock");
  try {
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, (error) => (error ? reject(error) : resolve(opened)));
    });
    await new Promise<void>((resolve, reject) =>
      database.exec("begin exclusive", (error) => (error ? reject(error) : resolve())),
    );
    return { release: () => new Promise((resolve) => database.close(() => resolve())) };
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") {
      throw new StartRefusal(
        `Another Faultline is running on the data in ${dataDir}. Stop it first, or start this service with another FAULTLINE_DATA_DIR.`,
        error,
      );
    }
    throw new StartRefusal(
      `The data directory ${dataDir} cannot be written. Choose another with FAULTLINE_DATA_DIR, or give this user write access.`,
      error,
    );
  }
}
