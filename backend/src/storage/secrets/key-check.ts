import type { EncryptedColumn } from "./encrypted-columns.ts";
import type { KeyRing } from "./key-ring.ts";

/** Enough values to start despite a few damaged values, and few enough for a quick read at the start. */
const sampledValues = 20;

/** Runs a query on the checked database. */
export type Rows = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** The parts of a database that belong to a key file: the noted digest and the encrypted columns. */
interface Sealed {
  /** The digest of the key file, from the table `faultline`; undefined if an earlier release left none. */
  readonly keysDigest: string | undefined;
  readonly columns: readonly EncryptedColumn[];
}

/** The digest by which a database recognizes its key file. A rotation does not change it. */
export const keysDigestOf = (keyRing: KeyRing) => keyRing.digest("key file", "");

/**
 * Whether a database was made with a key file. The digest reveals the file of another installation. The oldest values
 * of each column, which a rotation encrypts first, reveal a file from before a rotation, and any foreign file if no
 * digest is noted yet.
 */
export async function isMadeWith(keyRing: KeyRing, rows: Rows, { keysDigest, columns }: Sealed): Promise<boolean> {
  if (keysDigest !== undefined && keysDigest !== keysDigestOf(keyRing)) return false;
  const isReadable: boolean[] = [];
  for (const { table, name, owner, placeOf } of columns) {
    const values = await rows(
      `select "${owner}" as owner, "${name}" as sealed from "${table}" where "${name}" is not null order by id limit ${sampledValues}`,
    );
    for (const value of values) {
      const sealed = String(value["sealed"]);
      if (keyRing.lacksKeyOf(sealed)) return false;
      isReadable.push(keyRing.canDecrypt(placeOf(Number(value["owner"])), sealed));
    }
  }
  return isReadable.length === 0 || isReadable.includes(true);
}

/** The same for a file of SQLite, which may come from an earlier release, without the note and some tables. */
export async function isFileMadeWith(
  keyRing: KeyRing,
  rows: Rows,
  columns: readonly EncryptedColumn[],
): Promise<boolean> {
  const tables = new Set((await rows("select name from sqlite_schema where type = 'table'")).map(({ name }) => name));
  const [mark] = tables.has("faultline") ? await rows("select keys_digest from faultline") : [];
  const digest = mark?.["keys_digest"];
  return isMadeWith(keyRing, rows, {
    keysDigest: typeof digest === "string" ? digest : undefined,
    columns: columns.filter(({ table }) => tables.has(table)),
  });
}
