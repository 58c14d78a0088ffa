import { Command } from "commander";
import { version } from "../version.ts";
import { accessTokenCommands } from "./access-tokens.ts";
import { clientKeyCommands } from "./client-keys.ts";
import { dataCommands } from "./data.ts";
import { demoCommand } from "./demo/demo.ts";
import { errorCommands } from "./errors/errors.ts";
import { feedbackCommands } from "./errors/feedback.ts";
import { mailCommands } from "./mail.ts";
import { moveCommand } from "./move.ts";
import { notificationCommands } from "./notifications/notifications.ts";
import { projectCommands } from "./projects.ts";
import { quotaCommands } from "./quotas.ts";
import { savedSearchCommands } from "./saved-searches.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommands } from "./settings.ts";
import { sourceMapCommands } from "./source-maps/source-maps.ts";
import { trackerCommands } from "./trackers/trackers.ts";
import { transferCommands } from "./transfer.ts";

/**
 * The command line: reads and changes a running Faultline over gRPC, and backs up, restores and moves its data
 * directory. It prints JSON on standard output, one object a line; progress and faults go to standard error.
 */
export function commandLine(): Command {
  const program = new Command("faultline")
    .description(
      "Lists, follows and resolves errors, makes projects, keys and tokens, changes settings, uploads source maps, backs up, restores and serves.",
    )
    .version(version)
    .addHelpText(
      "after",
      `
Environment:
  FAULTLINE_GRPC_ADDRESS  where the service is, 127.0.0.1:50051 if not set
  FAULTLINE_GRPC_TLS_CA   file with the authority of its certificate, if this machine does not trust it anyway;
                          an address beyond this machine always uses TLS
  FAULTLINE_TOKEN         a personal access token
  FAULTLINE_PASSWORD      your password, for tokens create
  FAULTLINE_EXTERNAL_TOKEN
                          the auth token of an external system, for settings
  FAULTLINE_DATA_DIR      the data directory, for backup, restore and move, ./data if not set

Commands print JSON, one object a line. Exit codes: 0 done; 1 failed, with the reason on standard error; 141 the reader
of the output closed it, as head does.`,
    );
  for (const add of [
    errorCommands,
    feedbackCommands,
    savedSearchCommands,
    notificationCommands,
    trackerCommands,
    sourceMapCommands,
    projectCommands,
    settingsCommands,
    quotaCommands,
    clientKeyCommands,
    accessTokenCommands,
    mailCommands,
    dataCommands,
    moveCommand,
    transferCommands,
    demoCommand,
    serveCommand,
  ]) {
    add(program);
  }
  return program;
}
