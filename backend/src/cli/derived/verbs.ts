import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { textOfWords, type RestOperation, type Sent } from "@faultline/plugin/rest";
import { services } from "@faultline/proto";
import { Argument, Option, type Command } from "commander";
import { commentOf } from "@faultline/proto/comments";
import { addFlags, valueOf } from "./flags.ts";
import { answerOf, isForTokens, methodVerb, type Verb } from "./methods.ts";
import { byHand, columns, groupWords, shownWhole, spellingOf } from "./names.ts";
import { notesOf } from "./notes.ts";
import { call, type Given } from "../operations.ts";
import { CommandFault, print, progress, refuseUnknown, wholeNumber } from "../output.ts";
import { projectNamed, untilInterrupted, withService, type Service } from "../service.ts";

/** Whether a verb is derived: tokens may call it, and no command is written for it. */
export const isDerived = ({ id, method }: Pick<Verb, "id" | "method">): boolean =>
  byHand[id] === undefined && isForTokens(method);

/** The verbs that are derived: of the operations of REST, and of the methods that have none. */
export function verbsOf(operations: readonly RestOperation[]): Verb[] {
  const inRest = new Set(operations.map(({ method }) => String(method)));
  const others = Object.values(services)
    .flatMap(({ methods }) => methods)
    .filter((method) => !inRest.has(String(method)) && isDerived({ id: method.localName, method }));
  return [...operations.filter(isDerived), ...others.map(methodVerb)];
}

/** How many entries of a list are shown where nothing is said. */
const usualLimit = 100;

/** Parameters of pages, in whose place verbs have `--limit` and `--all`. */
const pageParameters = new Set(["page", "per_page", "cursor"]);

/** Adds a verb as a command of its group. */
export function addVerb(program: Command, verb: Verb): void {
  const { words, args, flags } = spellingOf(verb);
  const inPath = [...verb.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const command = groupOf(program, words.slice(0, -1))
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

/** A parameter that is an argument. An empty list, and the word `default`, leave it out. */
function argument({ params }: Verb, arg: string, given: unknown): [name: string, value: unknown] {
  const name = arg.replace("...", "");
  const isLeftOut = given === "default" || (Array.isArray(given) && given.length === 0);
  const schema = params[name]?.schema ?? {};
  return [name, isLeftOut ? undefined : typeof given === "string" ? valueOf(schema, given) : given];
}

/** The group with these words, which is made where it is missing. */
const groupOf = (program: Command, words: readonly string[]): Command =>
  words.reduce((parent, word) => parent.commands.find((one) => one.name() === word) ?? parent.command(word), program);

/** Describes the groups that have no words of their own by the first sentence about their service. */
export function describeGroups(program: Command, verbs: readonly Verb[]): void {
  for (const verb of verbs) {
    const group = groupOf(program, spellingOf(verb).words.slice(0, -1));
    const [sentence = ""] = commentOf(verb.method.parent)
      .replace(/ \(specification.*?\)/g, "")
      .split(/[.:;] |\.$/);
    if (group.description() === "") group.description(groupWords[group.name()] ?? sentence);
  }
}

async function run(service: Service, verb: Verb, given: Given, limit: number): Promise<void> {
  if (verb.method.methodKind === "server_streaming") return follow(service, verb, given);
  if (verb.answer.pages) return printList(service, verb, given, limit);
  const { body } = await noted(service, verb, given);
  if (body !== undefined) print(body, columns[verb.id]);
  refuseFailed(body, given.project);
}

/** Calls a verb, and says beside its answer what its answer does not. */
const noted = (service: Service, verb: Verb, given: Given) =>
  call(service, verb, given, async (request) => {
    const response = await service.invoke(verb.method, request);
    for (const note of notesOf(verb.id, response, given.project)) progress(note);
    return response;
  });

/** Prints what a stream brings, until the command is ended. */
async function follow(service: Service, verb: Verb, given: Given): Promise<void> {
  const { method } = verb;
  await call(service, verb, given, async (request): Promise<MessageShape<DescMessage>> => {
    for await (const message of service.watch(method, request, untilInterrupted()))
      print(answerOf(method.output, message));
    return create(method.output);
  });
}

/** Prints a list page by page, and says when there is more. */
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

/** An answer may say that a part of the call was not done, which scripts learn from the exit code. */
function refuseFailed(body: unknown, project: Given["project"]): void {
  const {
    not_found: ids = [],
    accepted = true,
    answer = "",
  } = (body ?? {}) as Partial<{ not_found: string[]; accepted: boolean; answer: string }>;
  refuseUnknown("errors", ids, `in ${project?.path}`);
  if (!accepted) throw new CommandFault(`The test was not accepted. ${answer}`.trim());
}
