import { Command, Option } from "commander";
import { roles } from "../roles.ts";
import { version } from "../version.ts";
import type { Verb } from "./derived/methods.ts";
import { derivedMethods, groupOf, isDerived } from "./derived/names.ts";
import { printJson } from "./output.ts";

/**
 * The command line: reads and changes a running Faultline over gRPC, and backs up, restores and moves its data
 * directory. Results go to standard output, progress and faults to standard error. `args`: the words of the call. The
 * first word decides which code is loaded: a command, or the commands of a group. Without a word, the commands of
 * groups are missing; `help`, the completion and unknown words load all commands.
 */
export async function commandLine(args: readonly string[]): Promise<Command> {
  const program = new Command("faultline")
    .description("Lists, follows and resolves errors, and does everything else that the services of Faultline offer.")
    .version(version)
    .configureHelp({ sortSubcommands: true })
    .hook("preAction", (_, command) => printJson(command.opts()["json"] === true))
    .addHelpText("after", environmentHelp);
  const word = args.find((arg) => !arg.startsWith("-"));
  const methods = derivedMethods();
  const derivedGroups = new Set(methods.map(groupOf));
  const isComplete = word !== undefined && !(word in groups || word in commands || derivedGroups.has(word));
  const isNamed = (name: string) => isComplete || name === word;
  for (const [name, [description, load]] of Object.entries(groups)) {
    const group = program.command(name).description(description);
    if (isNamed(name)) await load(group);
  }
  for (const [name, [parameters, description, load]] of Object.entries(commands)) {
    const command = program.command(`${name} ${parameters}`.trim()).description(description);
    if (isNamed(name) || name === "serve") await load(command); // "serve" shows that it has an option
    if (!withoutResult.has(name)) addJson(command);
  }
  if (word === undefined) (await import("./derived/groups.ts")).describeGroups(program, methods);
  else if (isComplete || derivedGroups.has(word)) await addVerbs(program, args, isNamed);
  for (const group of program.commands) if (group.commands.length > 0) commandsOf(group).forEach(addJson);
  if (word === undefined || isComplete)
    (await import("./derived/completion.ts")).addCompletion(program, commandsOf(program));
  return program;
}

/** The groups with commands written by hand. */
const groups: Readonly<Record<string, readonly [description: string, load: (group: Command) => Promise<void>]>> = {
  auth: ["The token that commands use", async (group) => (await import("./tokens.ts")).authCommands(group)],
  errors: ["Errors of a project", async (group) => (await import("./errors.ts")).errorCommands(group)],
  keys: [
    "Client keys of a project, with their DSNs",
    async (group) => (await import("./settings.ts")).clientKeyCommands(group),
  ],
  notifications: [
    "Where a project's notifications go, what was sent or not, and what you are notified of yourself",
    async (group) => (await import("./notifications.ts")).notificationCommands(group),
  ],
  projects: ["Projects", async (group) => (await import("./projects.ts")).projectCommands(group)],
  quota: [
    "How much projects may send in a day and keep, in bytes",
    async (group) => (await import("./quotas.ts")).quotaCommands(group),
  ],
  settings: [
    "Error-tracking settings of a project",
    async (group) => (await import("./settings.ts")).settingsCommands(group),
  ],
  sourcemaps: [
    "Source maps of minified JavaScript",
    async (group) => (await import("./source-maps/source-maps.ts")).sourceMapCommands(group),
  ],
  tokens: ["Personal access tokens", async (group) => (await import("./tokens.ts")).tokenCommands(group)],
};

/** The commands without a group. */
const commands: Readonly<
  Record<string, readonly [parameters: string, description: string, load: (command: Command) => Promise<void>]>
> = {
  backup: [
    "<directory>",
    "Copy the data directory to a new one, while the service runs or not",
    async (command) => (await import("./data.ts")).backupCommand(command),
  ],
  verify: [
    "<directory>",
    "Check a backup: checksums, the database's consistency, the keys of its secrets",
    async (command) => (await import("./data.ts")).verifyCommand(command),
  ],
  restore: [
    "<directory>",
    "Put a backup into an empty data directory; start the service after it",
    async (command) => (await import("./data.ts")).restoreCommand(command),
  ],
  demo: [
    "",
    "Make a project with two weeks of errors and five days of sessions of nine SDKs, to look around",
    async (command) => (await import("./demo/demo.ts")).demoCommand(command),
  ],
  export: [
    "<project>",
    "Write all errors, events and feedback of a project to standard output, as JSON lines",
    async (command) => (await import("./transfer.ts")).exportCommand(command),
  ],
  import: [
    "<project>",
    "Store what an export wrote, from standard input; events that are stored already count once",
    async (command) => (await import("./transfer.ts")).importCommand(command),
  ],
  move: [
    "",
    "Copy a SQLite installation to PostgreSQL while the service runs; repeat it, then end it with --final",
    async (command) => (await import("./move.ts")).moveCommand(command),
  ],
  serve: ["", "Run the service until it is stopped; all of it, or one part beside other processes", serveCommand],
};

/** `faultline serve`: runs the whole service or one part of it. */
async function serveCommand(command: Command): Promise<void> {
  command
    .addOption(new Option("--role <role>", "What this process does, FAULTLINE_ROLE if not given").choices(roles))
    .action(async ({ role }: { role?: string }) => {
      // The whole service. No other command needs it.
      const [{ startFaultline }, { serve }] = await Promise.all([import("../main.ts"), import("../serve.ts")]);
      await serve(startFaultline, role);
    });
}

const withoutResult = new Set(["export", "import", "serve"]);

const addJson = (command: Command) => void command.option("--json", "Print JSON at a terminal, too");

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
 * Adds the derived verbs of the named groups. The operations of plugins are loaded only if the core has no verb for the
 * words, because they double the start of a command.
 */
async function addVerbs(program: Command, args: readonly string[], isNamed: (group: string) => boolean): Promise<void> {
  const [{ addVerb, verbsOf }, { describeGroups }, { operations }] = await Promise.all([
    import("./derived/verbs.ts"),
    import("./derived/groups.ts"),
    import("../services/operations.ts"),
  ]);
  const named = <V extends Pick<Verb, "id" | "method">>(verbs: readonly V[]) =>
    verbs.filter((verb) => isDerived(verb) && isNamed(groupOf(verb)));
  const ofCore = named<Verb>(operations);
  for (const verb of ofCore) addVerb(program, verb);
  if (namesCommand(program, args)) return;
  const methodsOfCore = new Set(operations.map(({ method }) => String(method)));
  const isOfCore = named(derivedMethods()).every(({ method }) => methodsOfCore.has(String(method)));
  const verbs = isOfCore ? ofCore : named(verbsOf(await (await import("./operations.ts")).restOperations()));
  for (const verb of verbs) if (!ofCore.includes(verb)) addVerb(program, verb);
  describeGroups(program, verbs);
}

/** Whether the first words name a command, and not only a group. */
function namesCommand(program: Command, args: readonly string[]): boolean {
  let named = program;
  for (const word of args) {
    const found = named.commands.find((one) => one.name() === word);
    if (!found) break;
    named = found;
  }
  return named !== program && named.commands.length === 0;
}

/** All commands except groups. */
export const commandsOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf);
