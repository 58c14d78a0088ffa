import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { writeFileDurably } from "../secrets/write-file-durably.ts";

/** The content of a backup: a snapshot of the database, and the keys that its secrets need. */
export interface Manifest {
  /** The version of this description. */
  readonly format: 1;
  /** The moment of the database, ISO 8601. */
  readonly createdTime: string;
  /** The release that made it. */
  readonly version: string;
  readonly files: readonly BackupFile[];
}

/** A file of a backup. */
export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

const manifestName = "backup.json";

/** The files of every backup. */
const fileNames = ["faultline.db", "secrets.json"];

/** Describes the files of a directory. Write it last: a directory without a manifest is not a backup. */
export async function writeManifest(directory: string, manifest: Omit<Manifest, "format" | "files">) {
  const files: BackupFile[] = [];
  for (const name of fileNames) files.push(await fileIn(directory, name));
  const whole: Manifest = { format: 1, ...manifest, files };
  writeFileDurably(join(directory, manifestName), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

/**
 * Reads the description of a backup. Refuses a directory without a description, and a description that leaves a file
 * unchecked.
 */
export function readManifest(directory: string): Manifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(join(directory, manifestName), "utf8"));
  } catch (error) {
    throw new StartRefusal(
      `${directory} is not a complete backup: it has no readable ${manifestName}. Name another directory.`,
      error,
    );
  }
  if (!isManifest(parsed)) {
    throw new StartRefusal(`The backup in ${directory} was created by another release. Restore it with that release.`);
  }
  const unnamed = fileNames.filter((name) => !parsed.files.some((file) => file.name === name));
  if (unnamed.length > 0) {
    throw new StartRefusal(
      `${manifestName} in ${directory} has no checksum of ${unnamed.join(" and ")}, so the backup cannot be verified. Use another backup.`,
    );
  }
  return parsed;
}

/** The current description of a file. Its content is read once, in pieces. */
export async function fileIn(directory: string, name: string): Promise<BackupFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(join(directory, name), { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { name, bytes, sha256: hash.digest("hex") };
}

function isManifest(value: unknown): value is Manifest {
  const manifest = value as Partial<Manifest> | null;
  return (
    manifest?.format === 1 &&
    typeof manifest.createdTime === "string" &&
    Array.isArray(manifest.files) &&
    // A name must be in the directory itself: a backup from elsewhere must not name files outside of it.
    manifest.files.every((file) => fileNames.includes(file?.name))
  );
}
