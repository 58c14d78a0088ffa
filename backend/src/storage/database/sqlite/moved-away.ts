import { existsSync } from "node:fs";
import { join } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { writeFileDurably } from "../../secrets/write-file-durably.ts";

/** Tells that what the data directory holds in SQLite is served from elsewhere since. */
export interface MovedAway {
  /** ISO 8601. */
  readonly movedTime: string;
  /** The database, without user and password. */
  readonly to: string;
}

const noteIn = (dataDir: string) => join(dataDir, "moved-to-postgresql.json");

/** Notes it durably: from now on no service starts on the SQLite file. */
export function noteMovedAway(dataDir: string, moved: MovedAway): void {
  writeFileDurably(noteIn(dataDir), `${JSON.stringify(moved)}\n`);
}

/** Refuses a start on data that was moved away, such as by a service manager that knows the old configuration only. */
export function refuseMovedAway(dataDir: string): void {
  const note = noteIn(dataDir);
  if (!existsSync(note)) return;
  throw new StartRefusal(
    `What is in ${dataDir} was moved to PostgreSQL: name that database in FAULTLINE_DATABASE_URL. Where ${note} says. To go back to the old data, without what was stored since, delete that file.`,
  );
}
