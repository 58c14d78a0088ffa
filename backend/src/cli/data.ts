import { join } from "node:path";
import type { Command } from "commander";
import { readCommandConfig } from "../config.ts";
import type { EncryptedColumn } from "../storage/secrets/encrypted-columns.ts";
import { CommandFault, print, progress } from "./output.ts";

/** `faultline backup`, which works on the data directory itself, like `verify` and `restore`. */
export function backupCommand(command: Command): void {
  command.action(async (target: string) => {
    const dataDir = sqliteDirectory();
    const { backUp } = await import("../storage/backup/back-up.ts");
    print(await backUp({ dataDir, target, columns: await sealedColumns(), progress }));
  });
}

/** `faultline verify` */
export function verifyCommand(command: Command): void {
  command.action(async (directory: string) => {
    sqliteDirectory();
    const { verifyBackup } = await import("../storage/backup/verify.ts");
    const { manifest, faults } = await verifyBackup(directory, { columns: await sealedColumns(), progress });
    if (faults.length > 0) throw new CommandFault(`the backup is damaged: ${faults.join("; ")}`);
    print(manifest);
  });
}

/** `faultline restore` */
export function restoreCommand(command: Command): void {
  command.action(async (source: string) => {
    const dataDir = sqliteDirectory();
    const { restore } = await import("../storage/backup/restore.ts");
    print(await restore({ source, dataDir, columns: await sealedColumns(), progress }));
  });
}

/** The data directory. PostgreSQL's own programs back up PostgreSQL. */
function sqliteDirectory(): string {
  const { dataDir, databaseUrl } = readCommandConfig();
  if (databaseUrl === undefined) return dataDir;
  throw new CommandFault(
    `the data is in PostgreSQL (FAULTLINE_DATABASE_URL), which its own programs back up and restore. Use pg_dump and pg_restore, or a physical backup. Keep a copy of the key file ${join(dataDir, "secrets.json")} with each backup, because the stored tokens and client keys cannot be read without it`,
  );
}

/** The columns with values that a backup must decrypt. */
async function sealedColumns(): Promise<readonly EncryptedColumn[]> {
  const { storingPlugins } = await import("../built-in.ts");
  const { encryptedColumns } = await import("../storage/secrets/encrypted-columns.ts");
  return encryptedColumns(storingPlugins());
}
