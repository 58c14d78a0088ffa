import { PreviewRegroupingResponseSchema, type Error as TrackedError } from "@faultline/proto";
import type { Command } from "commander";
import { getError, updateErrors } from "../services/errors/error-operations.ts";
import { messageBody } from "./derived/methods.ts";
import { columns } from "./derived/names.ts";
import { bodyOf, written } from "./operations.ts";
import { print, progress, refuseUnknown, wholeNumber } from "./output.ts";
import { onProject, untilInterrupted, type Service } from "./service.ts";

/** `faultline errors resolve`, `ignore`, `reopen`, `tail` and `regroup` */
export function errorCommands(errors: Command): void {
  for (const [name, status, description] of [
    ["resolve", "resolved", "Resolve errors, named by their ids"],
    ["ignore", "ignored", "Ignore errors, named by their ids"],
    ["reopen", "unresolved", "Reopen errors, named by their ids"],
  ] as const) {
    errors
      .command(`${name} <project> <errors...>`)
      .description(description)
      .action(
        onProject(async (service, project, ids: string[]) => {
          const body = await bodyOf(service, updateErrors, { project, sent: { ids, status } });
          const { errors: changed, not_found: unknown } = body as { errors: unknown[]; not_found: string[] }; // ChangedErrors
          print(changed, columns["listErrors"]);
          refuseUnknown("errors", unknown, `in ${project.path}`);
        }),
      );
  }

  errors
    .command("tail <project>")
    .description("Follow the errors of a project as they change, until Ctrl-C")
    .action(
      onProject(async (service, { projectId }) => {
        const context = { ...service.call, signal: untilInterrupted() };
        for await (const { errors: changed, more } of service.errors.watchErrors({ projectId }, context)) {
          print(await Promise.all(changed.map((error) => errorBody(service, error))), columns["listErrors"]);
          if (more) progress("More errors changed. List them with faultline errors list.");
        }
      }),
    );

  errors
    .command("regroup <project>")
    .description("Compare the groups of stored events with the groups that they would have now")
    .requiredOption("--dry-run", "Change nothing: events regroup errors by themselves as they come")
    .option("--errors <count>", "How many errors to examine, at most 5,000", wholeNumber, 1_000)
    .option("--events <count>", "How many events of each, at most 50", wholeNumber, 5)
    .action(
      onProject(async (service, { projectId }, options: RegroupOptions) => {
        const { errors: errorCount, events: eventsPerError } = options;
        const asked = { projectId, errorCount, eventsPerError };
        const counted = await service.errors.previewRegrouping(asked, service.call);
        const { joins, splits } = messageBody(PreviewRegroupingResponseSchema, counted) as Record<
          "joins" | "splits",
          unknown[]
        >; // its lists
        print(joins);
        print(splits);
        progress(
          `Examined ${counted.examinedEventCount} events of ${counted.examinedErrorCount} errors: ${counted.groupCount} groups. Joins: ${joins.length}. Splits: ${splits.length}.`,
        );
        if (counted.hasMore) progress("The project has more errors. Ask for more with --errors.");
      }),
    );
}

const errorBody = (service: Service, error: TrackedError) => written(service, getError, { error });

interface RegroupOptions {
  readonly errors: number;
  readonly events: number;
}
