import { timestamp } from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  DeletionSchema,
  DiscardSchema,
  type CreateDeletionRequestSchema,
  type Deletion,
  type DiscardEndSchema,
} from "@faultline/proto";
import { Option, type Command } from "commander";
import { statusOf, statusWords } from "./choices.ts";
import { CommandFault, printMessage, refuseUnknown, wholeNumber } from "../output.ts";
import { pages } from "../pages.ts";
import { onProject } from "../service.ts";

/** `faultline errors delete` and the commands around it. */
export function deletionCommands(errors: Command): void {
  errors
    .command("delete <project> [errors...]")
    .description("delete errors with their events: those named by their ids, or all that match")
    .option("--query <search>", "all errors that this search finds; needs --expect")
    .addOption(
      new Option("--status <status>", "of these only those of this status; needs --expect").choices(statusWords),
    )
    .option("--expect <count>", "how many errors are to be deleted; more than 10 % off is refused", wholeNumber)
    .option("--no-undo", "erase immediately, to free the space now; cannot be undone")
    .option("--discard", "do not store later events of the same groups; count them", false)
    .option("--discard-until <time>", "discard until this time, such as 2026-05-01T10:00:00Z")
    .option("--discard-after <count>", "discard so many events", wholeNumber)
    .option("--discard-until-release <release>", "discard until this release, or a greater version, sends an event")
    .action(
      onProject(async (service, { projectId, path }, errorIds: string[], options: DeleteOptions) => {
        const discard = discardOf(options);
        const target = targetOf(errorIds, options);
        const { deletion, notFoundErrorIds } = await service.deletions.createDeletion(
          { projectId, target, withoutUndo: !options.undo, ...(discard && { discard }) },
          service.call,
        );
        print(deletion);
        refuseUnknown("errors", notFoundErrorIds, `in ${path}`);
      }),
    );

  errors
    .command("undelete <project> <deletion>")
    .description("undo a deletion, within ten minutes")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const { deletion } = await service.deletions.undoDeletion(
          { projectId, deletionId: wholeNumber(id) },
          service.call,
        );
        print(deletion);
      }),
    );

  errors
    .command("deletions <project>")
    .description("list the deletions of a project, the newest first, with how far they have come")
    .action(
      onProject(async (service, { projectId }) => {
        for await (const page of pages((pageToken) =>
          service.deletions.listDeletions({ projectId, pageSize: 100, pageToken }, service.call),
        )) {
          for (const deletion of page.deletions) print(deletion);
        }
      }),
    );

  errors
    .command("discards <project>")
    .description("list what a project discards, with how many events were stopped")
    .action(
      onProject(async (service, { projectId }) => {
        for await (const page of pages((pageToken) =>
          service.deletions.listDiscards({ projectId, pageSize: 100, pageToken }, service.call),
        )) {
          for (const discard of page.discards) printMessage(DiscardSchema, discard);
        }
      }),
    );

  errors
    .command("record-again <project> <discard>")
    .description("end a discard: its next event is stored")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const { discard } = await service.deletions.endDiscard({ projectId, discardId: wholeNumber(id) }, service.call);
        if (discard) printMessage(DiscardSchema, discard);
      }),
    );
}

function print(deletion: Deletion | undefined): void {
  if (deletion) printMessage(DeletionSchema, deletion);
}

type Target = NonNullable<MessageInitShape<typeof CreateDeletionRequestSchema>["target"]>;

function targetOf(errorIds: string[], { query, status, expect }: DeleteOptions): Target {
  const isSearch = query !== undefined || status !== undefined || expect !== undefined;
  if (errorIds.length > 0 && isSearch) {
    throw new CommandFault("Name the errors by their ids, or give --query or --status with --expect; not both.");
  }
  if (errorIds.length > 0) return { case: "errors", value: { errorIds } };
  if (!isSearch) throw new CommandFault("Name the errors by their ids, or give --query or --status with --expect.");
  return {
    case: "matching",
    value: { query: query ?? "", status: statusOf(status ?? "all"), expectedCount: expect ?? 0 },
  };
}

function discardOf(options: DeleteOptions): MessageInitShape<typeof DiscardEndSchema> | undefined {
  const { discard, discardUntil, discardAfter, discardUntilRelease } = options;
  const ends = [discardUntil, discardAfter, discardUntilRelease].filter((end) => end !== undefined);
  if (ends.length > 1) throw new CommandFault("Give one end of the discard: a time, a count or a release.");
  if (discardAfter !== undefined) return { end: { case: "eventCount", value: discardAfter } };
  if (discardUntilRelease !== undefined) return { end: { case: "release", value: discardUntilRelease } };
  if (discardUntil === undefined) return discard ? {} : undefined;
  const at = Date.parse(discardUntil);
  if (Number.isNaN(at)) throw new CommandFault(`${discardUntil} is not a time. Write it as 2026-05-01T10:00:00Z.`);
  return { end: { case: "time", value: timestamp(at) } };
}

interface DeleteOptions {
  readonly query?: string;
  readonly status?: string;
  readonly expect?: number;
  readonly undo: boolean;
  readonly discard: boolean;
  readonly discardUntil?: string;
  readonly discardAfter?: number;
  readonly discardUntilRelease?: string;
}
