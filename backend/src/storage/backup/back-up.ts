import {
  closeSync,
  copyFileSync,
  chmodSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { makeDirectory } from "../database/data-directory.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import type { EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { isFileMadeWith } from "../secrets/key-check.ts";
import { keyFile, KeyRing } from "../secrets/key-ring.ts";
import { version } from "../../version.ts";
import { writeManifest, type Manifest } from "./manifest.ts";
import { Snapshot } from "./snapshot.ts";

const attempts = 3;

/**
 * Copies a data directory, even during a running service: a snapshot of the database without free space, and the key
 * file that its secrets need. The service continues to store; new data stays in its write-ahead log until the copy is
 * done. The target appears only when it is complete.
 */
export async function backUp(options: {
  dataDir: string;
  target: string;
  columns: readonly EncryptedColumn[];
  progress: (text: string) => void;
}): Promise<Manifest> {
  const { dataDir, columns, progress } = options;
  const target = resolve(options.target);
  if (!existsSync(databaseFile(dataDir))) {
    throw new StartRefusal(`There is no database in ${dataDir}. Name the data directory with FAULTLINE_DATA_DIR.`);
  }
  if (existsSync(target)) throw new StartRefusal(`${target} already exists. Name a directory that does not exist.`);
  const draft = makeDraft(`${target}.unfinished`);
  try {
    const createdTime = await copyConsistently(dataDir, draft, progress);
    await refuseOtherKeys(draft, { dataDir, columns });
    progress("computing checksums");
    const manifest = await writeManifest(draft, { createdTime, version });
    renameSync(draft, target);
    syncDirectory(dirname(target));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (/SQLITE_FULL|ENOSPC/.test(String(error))) {
      throw new StartRefusal(`The disk for ${target} is full. Free some space or name another place.`, error);
    }
    throw error;
  }
}

/**
 * Makes a new directory for the copy, and removes a directory that an earlier backup left behind. Never uses an
 * existing directory: in a shared place such as /tmp another user could have made it, and would read the keys.
 */
function makeDraft(draft: string): string {
  try {
    rmSync(draft, { recursive: true, force: true });
    makeDirectory(dirname(draft));
    mkdirSync(draft, { mode: 0o700 });
    return draft;
  } catch (error) {
    throw new StartRefusal(
      `${draft}, which holds the backup until it is complete, cannot be created: ${(error as Error).message}. Remove it, or name another place.`,
      error,
    );
  }
}

/**
 * Keys change while they are rotated. The copy is good if the key file was the same before and after it, because each
 * value was then encrypted with a key of that file.
 */
async function copyConsistently(dataDir: string, draft: string, progress: (text: string) => void): Promise<string> {
  const keys = keyFile(dataDir);
  const copy = join(draft, "faultline.db");
  for (let attempt = 1; ; attempt++) {
    const before = readFileSync(keys);
    const createdTime = new Date().toISOString();
    await copyDatabase(databaseFile(dataDir), copy, progress);
    if (readFileSync(keys).equals(before)) {
      const target = join(draft, "secrets.json");
      copyFileSync(keys, target);
      for (const file of [copy, target]) syncFile(file);
      return createdTime;
    }
    if (attempt === attempts) throw new StartRefusal("The encryption keys are being replaced. Try again in a minute.");
    progress("the encryption keys were replaced during the copy; starting over");
    rmSync(copy);
  }
}

/** A copy is useless as a backup if nobody can read its secrets. */
async function refuseOtherKeys(
  draft: string,
  { dataDir, columns }: { dataDir: string; columns: readonly EncryptedColumn[] },
): Promise<void> {
  const copy = await Snapshot.open(databaseFile(draft));
  try {
    if (await isFileMadeWith(KeyRing.open(draft, false), (query) => copy.rows(query), columns)) return;
  } finally {
    await copy.close();
  }
  throw new StartRefusal(
    `The key file ${keyFile(dataDir)} does not belong to the database, so the stored tokens and client keys could not be read from a backup. Restore the right key file from an earlier backup, and back up again.`,
  );
}

async function copyDatabase(file: string, copy: string, progress: (text: string) => void): Promise<void> {
  const source = await Snapshot.open(file);
  const total = Number(await source.value("pragma page_count")) * Number(await source.value("pragma page_size"));
  const timer = setInterval(() => progress(`copied ${share(copy, total)}`), 1_000);
  try {
    await source.rows(`vacuum into '${copy.replaceAll("'", "''")}'`);
  } finally {
    clearInterval(timer);
    await source.close();
  }
  progress(`copied ${megabytes(statSync(copy).size)} of ${megabytes(total)}; the rest is free space`);
}

function share(copy: string, total: number): string {
  const size = existsSync(copy) ? statSync(copy).size : 0;
  return `${megabytes(size)} of at most ${megabytes(total)}`;
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;

function syncFile(file: string): void {
  chmodSync(file, 0o600);
  const opened = openSync(file, "r+");
  fsyncSync(opened);
  closeSync(opened);
}

/** A rename is recorded in the directory, and is durable only after the directory is synced. */
export function syncDirectory(directory: string): void {
  const opened = openSync(directory, "r");
  fsyncSync(opened);
  closeSync(opened);
}
