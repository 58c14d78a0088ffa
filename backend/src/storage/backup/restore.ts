import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartRefusal } from "@faultline/plugin";
import { claimDataDirectory, currentUser } from "../database/data-directory.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import type { EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { keyFile } from "../secrets/key-ring.ts";
import { syncDirectory } from "./back-up.ts";
import type { Manifest } from "./manifest.ts";
import { verifyBackup } from "./verify.ts";

/**
 * Verifies a backup and puts it into a data directory that has no database yet. The database appears last and complete,
 * so that a service never starts on half of it.
 */
export async function restore(options: {
  source: string;
  dataDir: string;
  columns: readonly EncryptedColumn[];
  progress: (text: string) => void;
}): Promise<Manifest> {
  const { dataDir, columns, progress } = options;
  const source = resolve(options.source);
  const { manifest, faults } = await verifyBackup(source, { columns, progress });
  if (faults.length > 0) throw new StartRefusal(`The backup in ${source} cannot be restored: ${faults.join("; ")}.`);
  const held = await claimDataDirectory(dataDir);
  try {
    for (const path of [databaseFile(dataDir), `${databaseFile(dataDir)}-wal`, keyFile(dataDir)]) {
      if (existsSync(path)) {
        throw new StartRefusal(
          `${path} already exists. Move it away, or name another directory with FAULTLINE_DATA_DIR.`,
        );
      }
    }
    for (const name of ["secrets.json", "faultline.db"]) {
      progress(`copying ${name}`);
      const draft = join(dataDir, `${name}.restoring`);
      copyFileSync(join(source, name), draft);
      chmodSync(draft, 0o600);
      const opened = openSync(draft, "r+");
      fsyncSync(opened);
      closeSync(opened);
      renameSync(draft, join(dataDir, name));
      syncDirectory(dataDir);
    }
    const owner = currentUser();
    progress(
      `The files in ${dataDir} belong to ${owner}. If the service runs as another user, such as faultline, give them to it: chown -R faultline ${dataDir}`,
    );
    return manifest;
  } finally {
    await held.release();
  }
}
