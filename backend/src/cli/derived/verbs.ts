import { readFileSync } from "node:fs";
import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { textOfWords, type RestOperation, type Sent, type Parameter, type Schema } from "@faultline/plugin/rest";
import { type ListErrorsResponse, type Project } from "@faultline/proto";
import { Argument, Option, type Command, InvalidArgumentError } from "commander";
import { millisecondsOf } from "@faultline/plugin";
import { answerOf, methodVerb, type Verb } from "./methods.ts";
import { columns, derivedMethods, flagOf, isDerived, shownWhole, spellingOf, type Spelling } from "./names.ts";
import { groupIn } from "./groups.ts";
import { call, type Given } from "../operations.ts";
import { CommandFault, print, progress, refuseUnknown, wholeNumber } from "../output.ts";
import { projectNamed, untilInterrupted, withService, type Service } from "../service.ts";

/** The derived verbs: of the operations of REST, and of the methods without an operation. */
export function verbsOf(operations: readonly RestOperation[]): Verb[] {
  const inRest = new Set(operations.map(({ method }) => String(method)));
  const others = derivedMethods().filter(({ method }) => !inRest.has(String(method)));
  return [...operations.filter(isDerived), ...others.map(({ method }) => methodVerb(method))];
}

/** How many entries of a list are shown by default. */
const usualLimit = 100;

/** Parameters of pages. Verbs replace them by `--limit` and `--all`. */
const pageParameters = new Set(["page", "per_page", "cursor"]);

/** Adds a verb as a command of its group. */
export function addVerb(program: Command, verb: Verb): void {
  const { words, args, flags } = spellingOf(verb);
  const inPath = [...verb.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const command = groupIn(program, words.slice(0, -1))
    .command(words.at(-1) ?? verb.id)
    .summary(verb.summary)
    .description([`${verb.summary}.`, verb.more ?? ""].join(" ").trim());
  for (const name of inPath) command.addArgument(partArgument(verb, name));
  for (const arg of args) {
    const name = arg.replace("...", "");
    const { isRequired, schema } = verb.params[name] ?? {};
    const shown = arg.replace(name, withoutId(name));
    command.addArgument(new Argument(isRequired ? `<${shown}>` : `[${shown}]`, textOfWords(schema?.description)));
  }
  const readers = Object.entries(verb.params)
    .filter(([name]) => !pageParameters.has(name) && !args.some((arg) => arg.replace("...", "") === name))
    .map(([name, parameter]) => [name, addFlags(command, name, parameter, flags)] as const);
  if (verb.answer.pages) {
    const limit = new Option("--limit <count>", "How many entries to show at most").argParser(wholeNumber);
    command.addOption(shownWhole.has(verb.id) ? limit : limit.default(usualLimit));
    command.addOption(new Option("--all", "Show all entries"));
  }
  command.action((...given: unknown[]) => {
    const options = command.opts<{ limit?: number; all?: boolean }>();
    const named = Object.fromEntries(inPath.map((name, at) => [name, String(given[at])]));
    const sent = {
      ...Object.fromEntries(args.map((arg, at) => argument(verb, arg, given[inPath.length + at]))),
      ...Object.fromEntries(readers.map(([name, read]) => [name, read(options)])),
    };
    const limit = options.all ? Infinity : (options.limit ?? Infinity);
    return withService(async (service) => {
      const { project: text, ...path } = named;
      const project = text === undefined ? undefined : await projectNamed(service, text);
      await run(service, verb, { project, path, sent }, limit);
    });
  });
}

const withoutId = (name: string) =>
  name
    .replace(/_ids?$/, "")
    .replace(/^ids$/, "errors")
    .replaceAll("_", "-");

/** The argument for a part of the path. */
function partArgument(verb: Verb, name: string): Argument {
  if (name === "project") return new Argument("<project>", "The project, by its path or id");
  const { type, description } = verb.inPath[name]?.schema ?? {};
  const part = new Argument(`<${withoutId(name)}>`, textOfWords(description));
  return type === "integer" ? part.argParser(wholeNumber) : part;
}

/** A parameter that is an argument. An empty list and the word `default` leave it out. */
function argument({ params }: Verb, arg: string, given: unknown): [name: string, value: unknown] {
  const name = arg.replace("...", "");
  const isLeftOut = given === "default" || (Array.isArray(given) && given.length === 0);
  const schema = params[name]?.schema ?? {};
  return [name, isLeftOut ? undefined : typeof given === "string" ? valueOf(schema, given) : given];
}

async function run(service: Service, verb: Verb, given: Given, limit: number): Promise<void> {
  if (verb.method.methodKind === "server_streaming") return follow(service, verb, given);
  if (verb.answer.pages) return printList(service, verb, given, limit);
  const { body } = await noted(service, verb, given);
  if (body !== undefined) print(body, columns[verb.id]);
  refuseFailed(body, given.project);
}

/** Calls a verb, and prints notes in addition to its answer. */
const noted = (service: Service, verb: Verb, given: Given) =>
  call(service, verb, given, async (request) => {
    const response = await service.invoke(verb.method, request);
    for (const note of notesOf(verb.id, response, given.project)) progress(note);
    return response;
  });

/** Prints the messages of a stream until the command ends. */
async function follow(service: Service, verb: Verb, given: Given): Promise<void> {
  const { method } = verb;
  await call(service, verb, given, async (request): Promise<MessageShape<DescMessage>> => {
    for await (const message of service.watch(method, request, untilInterrupted()))
      print(answerOf(method.output, message));
    return create(method.output);
  });
}

/** Prints a list page by page, and says if there is more. */
async function printList(service: Service, verb: Verb, given: Given, limit: number): Promise<void> {
  const perPage = Math.min(limit, 100);
  let next: Sent | undefined = {};
  let shown = 0;
  while (next !== undefined && shown < limit) {
    const sent: Sent = { ...given.sent, per_page: String(perPage), ...next };
    const { body, headers = {} } = await noted(service, verb, { ...given, sent });
    const entries = body as readonly unknown[]; // a page of a list
    const room = entries.slice(0, limit - shown);
    print(room, columns[verb.id]);
    shown += room.length;
    next = nextPage(headers["link"]);
    if (shown < limit || (next === undefined && room.length === entries.length)) continue;
    const total = headers["x-total"];
    const much =
      total === undefined ? `the first ${figure(shown)}. There are more` : `${figure(shown)} of ${figure(total)}`;
    progress(`Showing ${much}. Add --all or --limit ${shown * 2} to see more.`);
  }
}

const figure = (of: number | string) => Number(of).toLocaleString("en-US");

/** The parameters of the next page, from the header that links to it. */
function nextPage(link = ""): Sent | undefined {
  const [, query] = /<[^>]*\?([^>]*)>; rel="next"/.exec(link) ?? [];
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

/** Fails if the answer says that a part of the call was not done, so that scripts learn it from the exit code. */
function refuseFailed(body: unknown, project: Given["project"]): void {
  const {
    not_found: ids = [],
    accepted = true,
    answer = "",
  } = (body ?? {}) as Partial<{ not_found: string[]; accepted: boolean; answer: string }>;
  refuseUnknown("errors", ids, `in ${project?.path}`);
  if (!accepted) throw new CommandFault(`The test was not accepted. ${answer}`.trim());
}

/** The notes of a command on standard error, in addition to its answer, by the id of its operation. */
function notesOf(id: string, response: object, project: Partial<Project> | undefined): string[] {
  if (id === "listErrors") return notesOfSearch(response as ListErrorsResponse);
  const keys = project?.capabilities?.clientKeys;
  return id === "listClientKeys" && keys?.allowed === false ? [keys.reason] : [];
}

function notesOfSearch({
  examinedCount,
  searchedToTime,
  searchedErrorId,
  event,
  searchHints,
}: ListErrorsResponse): string[] {
  const errorId = searchedErrorId || (event?.errorId ?? "");
  const back = searchedToTime ? `, back to ${new Date(millisecondsOf(searchedToTime)).toISOString()}` : "";
  return [
    ...(examinedCount > 0 ? [`${examinedCount} errors were examined${back}. There are more.`] : []),
    ...(errorId === "" ? [] : [`The search names the error ${errorId}.`]),
    ...searchHints.map(({ text }) => text),
  ];
}

/** Reads a parameter from the options of a command; undefined if it was not given. */
type ReadFlag = (options: Readonly<Record<string, unknown>>) => unknown;

/**
 * Adds the flags that set a parameter. Secrets are read from files, because other programs of the machine can read the
 * arguments of a command. `spelled`: flags with other names.
 */
function addFlags(
  command: Command,
  name: string,
  { schema, isRequired = false }: Parameter<unknown>,
  spelled: Spelling["flags"],
): ReadFlag {
  const description = textOfWords(schema.description);
  const add = (flags: string, text = description) => {
    const option = new Option(flags, text);
    command.addOption(option);
    return option;
  };
  const own = spelled.filter((one) => one.name === name);
  if (own.some(({ value }) => value !== undefined)) {
    const values = own.map(({ flag, value }) => [add(flag, `Set ${name} to ${value}`), value] as const);
    for (const [option] of values)
      option.conflicts(values.map(([one]) => one.attributeName()).filter((one) => one !== option.attributeName()));
    return (options) => values.find(([option]) => options[option.attributeName()] === true)?.[1];
  }
  const flag = own[0]?.flag ?? flagOf(name);
  if (schema.type === "boolean") {
    const opposite = flag.replace("--", "--no-");
    const option = add(
      schema.default === true ? opposite : flag,
      description.replace(/^False: (\w)/, (_, letter: string) => letter.toUpperCase()),
    );
    if (schema.default === undefined) add(opposite, `The opposite of ${flag}`);
    return (options) => options[option.attributeName()];
  }
  if (schema.additionalProperties !== undefined) return addFields(add, flag.replace(/s$/, ""));
  if (/(^|_)(password|token|secret|dsn)$/.test(name)) {
    const option = add(`${flag}-file <file>`, `${description} Read from a file; - is standard input`).argParser(fileAt);
    return (options) => options[option.attributeName()];
  }
  const option = add(`${flag} <${placeholderOf(schema)}>`).makeOptionMandatory(isRequired);
  const words = wordsOf(schema);
  if (words.length > 0) chooseOf(option, words);
  if (schema.default !== undefined) option.default(String(schema.default));
  return (options) => valueOf(schema, options[option.attributeName()] as string | undefined);
}

/** Earlier spellings of words. */
const oldWords: Readonly<Record<string, string>> = { events: "frequency" };

/** Limits an option or argument to the words. */
function chooseOf(option: Option, words: readonly string[]): void {
  const { parseArg } = option.choices(words);
  const isOld = (text: string) => !words.includes(text) && words.includes(oldWords[text] ?? "");
  option.argParser((text: string, before: unknown) =>
    parseArg?.(isOld(text) ? (oldWords[text] ?? text) : text, before),
  );
}

/** The allowed words of a value; empty if any value is allowed. */
const wordsOf = ({ enum: words = [] }: Schema): string[] => words.filter((word) => typeof word === "string");

const placeholderOf = ({ type, items, format }: Schema): string => {
  if (format === "date-time" || format === "date") return format === "date" ? "day" : "time";
  if (type === "object" || items?.type === "object") return "json";
  return type === "integer" ? "number" : type === "array" ? "values" : "value";
};

/** The value of a text in the form of the parameter: lists are joined by commas, objects are JSON. */
function valueOf(schema: Schema, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (schema.type === "object" || schema.items?.type === "object") return jsonIn(text);
  return schema.type === "array" ? text.split(",").filter((one) => one !== "") : text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(`This is not JSON: ${text}`);
  }
}

type Fields = Readonly<Record<string, string>>;

function addFields(add: (flags: string, text: string) => Option, flag: string): ReadFlag {
  const given = add(`${flag} <key=value>`, "A field that is not secret; can be repeated").argParser(field);
  const read = add(
    `${flag}-file <key=file>`,
    "A field that a file holds, such as a secret; - is standard input",
  ).argParser(fieldFile);
  return (options) => {
    const fields = [options[given.attributeName()], options[read.attributeName()]].filter((one) => one !== undefined);
    return fields.length === 0 ? undefined : Object.assign({}, ...fields);
  };
}

function field(text: string, before: Fields = {}): Fields {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like key=value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function fieldFile(text: string, before: Fields = {}): Fields {
  const [[key = "", file = ""] = []] = Object.entries(field(text));
  return { ...before, [key]: fileAt(file) };
}

function fileAt(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}
