import { join } from "node:path";
import type { Command } from "commander";
import { readCommandConfig } from "../config.ts";
import type { EncryptedColumn } from "../storage/secrets/encrypted-columns.ts";
import { CommandFault, print, progress } from "./output.ts";

/**
 * `faultline backup`, `verify` and `restore`, which work on the data directory itself. They alone load their parts of
 * the service, which would double the start of every other command.
 */
export function dataCommands(program: Command): void {
  const { dataDir, databaseUrl } = readCommandConfig();
  /** PostgreSQL's own programs back it up. */
  const refusePostgresql = () => {
    if (databaseUrl === undefined) return;
    throw new CommandFault(
      `the data is in PostgreSQL (FAULTLINE_DATABASE_URL), which its own programs back up and restore. Use pg_dump and pg_restore, or a physical backup. Keep a copy of the key file ${join(dataDir, "secrets.json")} with each backup, because the stored tokens and client keys cannot be read without it`,
    );
  };

  program
    .command("backup <directory>")
    .description("Copy the data directory to a new one, while the service runs or not")
    .action(async (target: string) => {
      refusePostgresql();
      const { backUp } = await import("../storage/backup/back-up.ts");
      print(await backUp({ dataDir, target, columns: await sealedColumns(), progress }));
    });

  program
    .command("verify <directory>")
    .description("Check a backup: checksums, the database's consistency, the keys of its secrets")
    .action(async (directory: string) => {
      refusePostgresql();
      const { verifyBackup } = await import("../storage/backup/verify.ts");
      const { manifest, faults } = await verifyBackup(directory, { columns: await sealedColumns(), progress });
      if (faults.length > 0) throw new CommandFault(`the backup is damaged: ${faults.join("; ")}`);
      print(manifest);
    });

  program
    .command("restore <directory>")
    .description("Put a backup into an empty data directory; start the service after it")
    .action(async (source: string) => {
      refusePostgresql();
      const { restore } = await import("../storage/backup/restore.ts");
      print(await restore({ source, dataDir, columns: await sealedColumns(), progress }));
    });
}

/** The columns whose values a backup must be able to decrypt. */
async function sealedColumns(): Promise<readonly EncryptedColumn[]> {
  const { storingPlugins } = await import("../built-in.ts");
  const { encryptedColumns } = await import("../storage/secrets/encrypted-columns.ts");
  return encryptedColumns(storingPlugins());
}
