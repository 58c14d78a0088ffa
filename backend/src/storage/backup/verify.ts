import { join, resolve } from "node:path";
import type { EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { isFileMadeWith } from "../secrets/key-check.ts";
import { KeyRing } from "../secrets/key-ring.ts";
import { fileIn, readManifest, type Manifest } from "./manifest.ts";
import { Snapshot } from "./snapshot.ts";

/**
 * Verifies a backup: the length and checksum of each file, the consistency of the database, and that its keys decrypt
 * every secret in it. Returns the faults, or an empty list if it can be restored.
 */
export async function verifyBackup(
  directory: string,
  { columns, progress }: { columns: readonly EncryptedColumn[]; progress: (text: string) => void },
): Promise<{ manifest: Manifest; faults: string[] }> {
  const target = resolve(directory);
  const manifest = readManifest(target);
  const faults: string[] = [];
  for (const expected of manifest.files) {
    progress(`reading ${expected.name}`);
    const found = await fileIn(target, expected.name).catch(() => undefined);
    if (!found) faults.push(`${expected.name} is missing`);
    else if (found.bytes !== expected.bytes)
      faults.push(`${expected.name} has ${found.bytes} bytes, not ${expected.bytes}`);
    else if (found.sha256 !== expected.sha256) faults.push(`${expected.name} was changed: its checksum differs`);
  }
  if (faults.length > 0) return { manifest, faults };
  progress("checking the database");
  return { manifest, faults: await databaseFaults(target, columns) };
}

async function databaseFaults(directory: string, columns: readonly EncryptedColumn[]): Promise<string[]> {
  const database = await Snapshot.open(join(directory, "faultline.db"));
  try {
    const rows = await database.rows("pragma integrity_check(10)");
    const faults = rows.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
    const orphans = await database.rows("pragma foreign_key_check");
    if (orphans.length > 0) faults.push(`${orphans.length} rows belong to rows that do not exist`);
    return [...faults, ...(await sealedFaults(database, directory, columns))];
  } finally {
    await database.close();
  }
}

async function sealedFaults(
  database: Snapshot,
  directory: string,
  columns: readonly EncryptedColumn[],
): Promise<string[]> {
  const keyRing = KeyRing.open(directory, false);
  if (!(await isFileMadeWith(keyRing, (query) => database.rows(query), columns))) {
    return ["secrets.json does not belong to the database"];
  }
  const tables = await database.rows("select name from sqlite_master where type = 'table'");
  const isThere = new Set(tables.map(({ name }) => name)); // a backup may come from a release without the table
  const faults: string[] = [];
  for (const { table, name, owner, placeOf } of columns) {
    if (!isThere.has(table)) continue;
    const rows = await database.rows(
      `select "${owner}" as owner, "${name}" as sealed from "${table}" where "${name}" is not null`,
    );
    const unreadable = rows.filter(({ owner: id, sealed }) => !keyRing.canDecrypt(placeOf(Number(id)), String(sealed)));
    if (unreadable.length > 0) faults.push(`${unreadable.length} values of ${table}.${name} cannot be decrypted`);
  }
  return faults;
}
