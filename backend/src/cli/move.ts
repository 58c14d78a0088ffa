import { StartRefusal } from "@faultline/plugin";
import { Option, type Command } from "commander";
import { readCommandConfig } from "../config.ts";
import { sqlStateOf } from "../storage/database/postgresql/failure.ts";
import { isStorageFailure } from "../storage/database/storage-failure.ts";
import { CommandFault, print, progress } from "./output.ts";

interface Options {
  readonly to?: string;
  readonly final: boolean;
  readonly verify?: "sample" | "all";
}

/** `faultline move`, which works on the data directory itself and on the target database. */
export function moveCommand(command: Command): void {
  const { dataDir, databaseUrl } = readCommandConfig();
  command
    .option("--to <url>", "postgres://user:password@host/database, FAULTLINE_DATABASE_URL if not given")
    .option("--final", "The last run, while the service is stopped: afterwards it starts on PostgreSQL", false)
    .addOption(new Option("--verify <payloads>", "Which to compare, all with --final").choices(["sample", "all"]))
    .action(async ({ to = databaseUrl, final: isFinal, verify = isFinal ? "all" : "sample" }: Options) => {
      if (to === undefined)
        throw new CommandFault("Name the target. For example: --to postgres://user:password@host/database.");
      if (!/^postgres(ql)?:\/\/[^/]*\/[^/]+$/.test(to) || !URL.canParse(to)) {
        throw new CommandFault("--to must look like postgres://user:password@db.example.com:5432/faultline.");
      }
      const { move } = await import("../main.ts"); // loads the whole service; no other command needs it
      const report = await move({ dataDir, to, isFinal, verify, progress }).catch((error: unknown) => {
        if (error instanceof StartRefusal) throw error; // its own sentence says what to do
        if (sqlStateOf(error) === undefined && !isStorageFailure(error)) throw error;
        const reason = (error instanceof Error ? error.message : String(error)).split("\n").at(-1);
        throw new CommandFault(`The move ended early: ${reason}. SQLite is unchanged. Run the move again.`);
      });
      print(report);
      for (const difference of report.differences) progress(difference);
      progress(nextStep(report));
      if (report.differences.length > 0) process.exitCode = 1;
    });
}

function nextStep({ differences, cutOverTime }: { differences: readonly string[]; cutOverTime?: string }): string {
  if (differences.length > 0) return "The copy differs from SQLite, as reported above. Run the move again.";
  if (cutOverTime !== undefined) {
    return "Everything is in PostgreSQL and equal. Start the service with FAULTLINE_DATABASE_URL and the same key file.";
  }
  return "What was read is in PostgreSQL and equal. Run the move again to bring what came since; at last stop the service and run it with --final.";
}
