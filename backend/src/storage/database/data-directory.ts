import { mkdirSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import sqlite3 from "sqlite3";
import { StartRefusal } from "@faultline/plugin";

/** Makes the data directory and locks it for this process; the system releases the lock when the process ends. */
export async function claimDataDirectory(dataDir: string): Promise<{ release(): Promise<void> }> {
  let entries: Dirent[];
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    entries = readdirSync(dataDir, { withFileTypes: true });
  } catch (error) {
    throw new StartRefusal(
      `The data directory ${dataDir} cannot be made. Choose another with FAULTLINE_DATA_DIR, or give this user the right to write there.`,
      error,
    );
  }
  // We would write wherever a foreign link leads. The directory itself may be one.
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link) {
    throw new StartRefusal(
      `The data directory ${dataDir} holds the symbolic link ${link.name}. Remove it, or put the file itself there.`,
    );
  }
  return lock(dataDir);
}

/** SQLite's own file lock on an empty database: it ends with the process, however that ends, and needs no clean-up. */
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
        `Another Faultline is running on the data in ${dataDir}. Stop it first, or start this one with another FAULTLINE_DATA_DIR.`,
        error,
      );
    }
    throw new StartRefusal(
      `The data directory ${dataDir} cannot be written. Choose another with FAULTLINE_DATA_DIR, or give this user the right to write there.`,
      error,
    );
  }
}
