import type { Command } from "commander";
import { backUp } from "../backup/back-up.ts";
import { restore } from "../backup/restore.ts";
import { verifyBackup } from "../backup/verify.ts";
import { readCommandConfig } from "../config.ts";
import { CommandFault, printLine, progress } from "./output.ts";

/** `faultline backup`, `verify` and `restore`: they work on the data directory itself. */
export function dataCommands(program: Command): void {
  const { dataDir } = readCommandConfig();

  program
    .command("backup <directory>")
    .description("copy the data directory to a new one, while the service runs or not")
    .action(async (target: string) => printLine(await backUp({ dataDir, target, progress })));

  program
    .command("verify <directory>")
    .description("check a backup: checksums, the database's consistency, the keys of its secrets")
    .action(async (directory: string) => {
      const { manifest, faults } = await verifyBackup(directory, progress);
      if (faults.length > 0) throw new CommandFault(`the backup is damaged: ${faults.join("; ")}`);
      printLine(manifest);
    });

  program
    .command("restore <directory>")
    .description("put a backup into an empty data directory; start the service after it")
    .action(async (source: string) => printLine(await restore({ source, dataDir, progress })));
}
