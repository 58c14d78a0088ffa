import { sql, type Kysely } from "kysely";

/** The digest of the key file that a database was made with, from the single row of its table `faultline`. */
export async function readKeysDigest(database: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ digest: string | null }>`select keys_digest as digest from faultline`.execute(database);
  return rows[0]?.digest ?? undefined;
}

/**
 * Notes the digest the first time. Returns whether it equals the noted digest: another process may have been faster.
 */
export async function noteKeysDigest(database: Kysely<unknown>, digest: string): Promise<boolean> {
  await sql`update faultline set keys_digest = ${digest} where keys_digest is null`.execute(database);
  return (await readKeysDigest(database)) === digest;
}
