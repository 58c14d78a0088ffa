import { Command } from "commander";
import { version } from "../version.ts";
import { accessTokenCommands } from "./access-tokens.ts";
import { authCommands } from "./auth.ts";
import { clientKeyCommands } from "./client-keys.ts";
import { dataCommands } from "./data.ts";
import { demoCommand } from "./demo/demo.ts";
import { errorCommands } from "./errors.ts";
import { moveCommand } from "./move.ts";
import { notificationCommands } from "./notifications.ts";
import type { Verb } from "./derived/methods.ts";
import { printJson } from "./output.ts";
import { projectCommands } from "./projects.ts";
import { quotaCommands } from "./quotas.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommands } from "./settings.ts";
import { sourceMapCommands } from "./source-maps/source-maps.ts";
import { transferCommands } from "./transfer.ts";

/**
 * The command line: reads and changes a running Faultline over gRPC, and backs up, restores and moves its data
 * directory. Results go to standard output, progress and faults to standard error. `args`: the words of the call; verbs that
 * are derived from the services are added unless the words name another command.
 */
export async function commandLine(args: readonly string[]): Promise<Command> {
  const program = new Command("faultline")
    .description("Lists, follows and resolves errors, and does everything else that the services of Faultline offer.")
    .version(version)
    .configureHelp({ sortSubcommands: true })
    .hook("preAction", (_, command) => printJson(command.opts()["json"] === true))
    .addHelpText("after", environmentHelp);
  for (const add of [
    accessTokenCommands,
    authCommands,
    clientKeyCommands,
    dataCommands,
    demoCommand,
    errorCommands,
    moveCommand,
    notificationCommands,
    projectCommands,
    quotaCommands,
    serveCommand,
    settingsCommands,
    sourceMapCommands,
    transferCommands,
  ]) {
    add(program);
  }
  const isComplete = !namesCommand(program, args) && (await addVerbs(program, args));
  for (const command of commandsOf(program)) {
    if (!withoutResult.has(command.name())) command.option("--json", "Print JSON at a terminal, too");
  }
  if (isComplete) (await import("./derived/completion.ts")).addCompletion(program, commandsOf(program));
  return program;
}

const withoutResult = new Set(["export", "import", "serve"]);

const environmentHelp = `
Environment:
  FAULTLINE_GRPC_ADDRESS  Where the service is, 127.0.0.1:50051 if not set
  FAULTLINE_GRPC_TLS_CA   File with the authority of its certificate, if this machine does not trust it anyway;
                          an address beyond this machine always uses TLS
  FAULTLINE_TOKEN         A personal access token
  FAULTLINE_PASSWORD      Your password, for tokens create
  FAULTLINE_EXTERNAL_TOKEN
                          The auth token of an external system, for settings
  FAULTLINE_DATA_DIR      The data directory, for backup, restore and move, ./data if not set
  NO_COLOR                Set to print without emphasis

At a terminal, commands print tables. Otherwise, and with --json, they print JSON with the names of REST, one object a
line. Exit codes: 0 done; 1 failed, with the reason on standard error; 141 the reader of the output closed it, as head
does.`;

/**
 * Adds the verbs of the core, and unless the words name one of them, all others, which loads the plugins and doubles the
 * start of a command. Returns whether the program has all its commands now.
 */
async function addVerbs(program: Command, args: readonly string[]): Promise<boolean> {
  const [{ addVerb, describeGroups, isDerived, verbsOf }, { operations }, { restOperations }] = await Promise.all([
    import("./derived/verbs.ts"),
    import("../services/operations.ts"),
    import("./operations.ts"),
  ]);
  const added = new Set<Verb>(operations.filter(isDerived));
  for (const verb of added) addVerb(program, verb);
  if (namesCommand(program, args)) return false;
  const verbs = verbsOf(await restOperations());
  for (const verb of verbs) if (!added.has(verb)) addVerb(program, verb);
  describeGroups(program, verbs);
  return true;
}

/** Whether the first words are the name of a command, and not of a group alone. */
function namesCommand(program: Command, args: readonly string[]): boolean {
  let named = program;
  for (const word of args) {
    const found = named.commands.find((one) => one.name() === word);
    if (!found) break;
    named = found;
  }
  return named !== program && named.commands.length === 0;
}

/** All commands that do something, which groups do not. */
export const commandsOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf);
