import {
  ErrorSchema,
  ErrorStatus,
  EventSchema,
  GetErrorBreakdownResponseSchema,
  type ListErrorsResponse,
  WatchErrorsResponseSchema,
} from "@faultline/proto";
import { millisecondsOf } from "@faultline/plugin";
import { Option, type Command } from "commander";
import { sortOf, sortWords, statusOf, statusWords } from "./choices.ts";
import { deletionCommands } from "./deletions.ts";
import { regroupCommand } from "./regroup.ts";
import { whyCommand } from "./why.ts";
import { printMessage, progress, refuseUnknown, wholeNumber } from "../output.ts";
import { onProject, projectNamed, withService } from "../service.ts";

/** `faultline errors ...` */
export function errorCommands(program: Command): void {
  const errors = program.command("errors").description("errors of a project");
  errors
    .command("list <project>")
    .description("list errors; <project> is a path or an id")
    .addOption(new Option("--status <status>").choices(statusWords).default("unresolved"))
    .addOption(new Option("--sort <sort>").choices(sortWords).default("last_seen"))
    .option("--query <search>", "words and key:value, as in the console", "")
    .option("--limit <count>", "how many at most", wholeNumber, 100)
    .action(
      onProject(async (service, { projectId }, options: ListOptions) => {
        const { query, limit } = options;
        const asked = { projectId, query, status: statusOf(options.status), sort: sortOf(options.sort) };
        for (let [left, pageToken] = [limit, ""]; left > 0;) {
          const page = await service.errors.listErrors(
            { ...asked, pageSize: Math.min(left, 100), pageToken },
            service.call,
          );
          for (const sentence of notesOf(page)) progress(sentence);
          for (const error of page.errors) printMessage(ErrorSchema, error);
          left -= page.errors.length;
          pageToken = page.nextPageToken;
          if (pageToken === "") break;
        }
      }),
    );

  errors
    .command("show <project> <error>")
    .description("show the newest event of an error")
    .action(
      onProject(async (service, { projectId }, errorId: string) => {
        const { event } = await service.errors.getEvent({ projectId, errorId }, service.call);
        if (event) printMessage(EventSchema, event);
      }),
    );

  errors
    .command("breakdown <project> <error>")
    .description("how the newest events of an error divide by user, release and tag")
    .action(
      onProject(async (service, { projectId }, errorId: string) => {
        const breakdown = await service.errors.getErrorBreakdown({ projectId, errorId }, service.call);
        printMessage(GetErrorBreakdownResponseSchema, breakdown);
      }),
    );

  errors
    .command("tail <project>")
    .description("follow the errors of a project as they change, until Ctrl-C")
    .action(
      onProject(async (service, { projectId }) => {
        const ended = new AbortController();
        process.once("SIGINT", () => ended.abort());
        const changes = service.errors.watchErrors({ projectId }, { ...service.call, signal: ended.signal });
        for await (const change of changes) printMessage(WatchErrorsResponseSchema, change);
      }),
    );

  for (const add of [whyCommand, regroupCommand, deletionCommands]) add(errors);

  for (const [name, status] of [
    ["resolve", ErrorStatus.RESOLVED],
    ["ignore", ErrorStatus.IGNORED],
    ["reopen", ErrorStatus.UNRESOLVED],
  ] as const) {
    errors
      .command(`${name} <project> <errors...>`)
      .description(`${name} errors, named by their ids`)
      .action((named: string, errorIds: string[]) =>
        withService(async (service) => {
          const { projectId, path } = await projectNamed(service, named);
          const changes = errorIds.map((errorId) => ({ errorId, status }));
          const answer = await service.errors.updateErrors({ projectId, changes }, service.call);
          for (const error of answer.errors) printMessage(ErrorSchema, error);
          refuseUnknown("errors", answer.notFoundErrorIds, `in ${path}`);
        }),
      );
  }
}

/** What a page says of its search beside the errors. */
function notesOf({ examinedCount, searchedToTime, searchedErrorId, event, searchHints }: ListErrorsResponse): string[] {
  const errorId = searchedErrorId || (event?.errorId ?? "");
  const back = searchedToTime ? `, back to ${new Date(millisecondsOf(searchedToTime)).toISOString()}` : "";
  return [
    ...(examinedCount > 0 ? [`${examinedCount} errors were examined${back}. There are more.`] : []),
    ...(errorId === "" ? [] : [`The search names the error ${errorId}.`]),
    ...searchHints.map(({ text }) => text),
  ];
}

interface ListOptions {
  /** Of `statusWords`. */
  readonly status: string;
  /** Of `sortWords`. */
  readonly sort: string;
  readonly query: string;
  readonly limit: number;
}
