import { existsSync } from "node:fs";
import { join } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { writeFileDurably } from "../../secrets/write-file-durably.ts";

/** The note that the SQLite data of a directory was moved and is served from elsewhere. */
export interface MovedAway {
  /** ISO 8601. */
  readonly movedTime: string;
  /** The database, without user and password. */
  readonly to: string;
}

const noteIn = (dataDir: string) => join(dataDir, "moved-to-postgresql.json");

/** Writes the note durably. No service starts on the SQLite file from now on. */
export function noteMovedAway(dataDir: string, moved: MovedAway): void {
  writeFileDurably(noteIn(dataDir), `${JSON.stringify(moved)}\n`);
}

/** Refuses a start on moved data, such as by a service manager with the old configuration. */
export function refuseMovedAway(dataDir: string): void {
  const note = noteIn(dataDir);
  if (!existsSync(note)) return;
  throw new StartRefusal(
    `The data in ${dataDir} was moved to PostgreSQL. Name that database in FAULTLINE_DATABASE_URL; ${note} says where it is. To return to the old data, without anything stored since, delete that file.`,
  );
}
