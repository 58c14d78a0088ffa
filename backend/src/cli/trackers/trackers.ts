import { TrackerKindSchema, TrackerSchema, type Tracker } from "@faultline/proto";
import type { Command } from "commander";
import { fieldsOf, withFields, type FieldOptions } from "../fields.ts";
import { printLine, printMessage, wholeNumber } from "../output.ts";
import { onProject, withService } from "../service.ts";
import { issueCommands } from "./issues.ts";

/** `faultline trackers ...` */
export function trackerCommands(program: Command): void {
  const trackers = program
    .command("trackers")
    .description("issue trackers of a project, and the issues of its errors: GitLab, GitHub, Jira");

  trackers
    .command("kinds")
    .description("list the kinds of trackers with their fields")
    .action(() =>
      withService(async (service) => {
        const { kinds } = await service.trackers.listTrackerKinds({}, service.call);
        for (const kind of kinds) printMessage(TrackerKindSchema, kind);
      }),
    );

  trackers
    .command("list <project>")
    .description("list the trackers with how their calls went, without secrets; <project> is a path or an id")
    .action(
      onProject(async (service, { projectId }) => {
        const answer = await service.trackers.listTrackers({ projectId }, service.call);
        for (const tracker of answer.trackers) print(tracker, "");
      }),
    );

  withFields(trackers.command("add <project> <kind> <name>"))
    .description("add a tracker, and show the secret of its webhook, once")
    .option("--only-comments", "comment on issues, and never open or close them", false)
    .action(
      onProject(async (service, { projectId }, kind: string, name: string, options: AddOptions) => {
        const given = { projectId, kind, name, fields: fieldsOf(options), onlyComments: options.onlyComments };
        const { tracker, webhookSecret } = await service.trackers.createTracker(given, service.call);
        print(tracker, webhookSecret);
      }),
    );

  withFields(trackers.command("update <project> <tracker>"))
    .description("change a tracker, named by its id; what is not named stays")
    .option("--name <name>", "its new name", "")
    .option("--rotate-webhook-secret", "make a new secret for its webhook", false)
    .action(
      onProject(async (service, { projectId }, id: string, options: UpdateOptions) => {
        const { name, rotateWebhookSecret } = options;
        const given = { projectId, trackerId: wholeNumber(id), name, fields: fieldsOf(options), rotateWebhookSecret };
        const { tracker, webhookSecret } = await service.trackers.updateTracker(given, service.call);
        print(tracker, webhookSecret);
      }),
    );

  trackers
    .command("delete <project> <tracker>")
    .description("delete a tracker with the links to its issues, which stay in the tracker")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const named = { projectId, trackerId: wholeNumber(id) };
        print((await service.trackers.deleteTracker(named, service.call)).tracker, "");
      }),
    );

  issueCommands(trackers);
}

interface AddOptions extends FieldOptions {
  readonly onlyComments: boolean;
}

interface UpdateOptions extends FieldOptions {
  readonly name: string;
  readonly rotateWebhookSecret: boolean;
}

function print(tracker: Tracker | undefined, webhookSecret: string): void {
  if (tracker) printMessage(TrackerSchema, tracker);
  if (webhookSecret !== "") printLine({ webhookSecret });
}
