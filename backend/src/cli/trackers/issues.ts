import { TrackerIssueSchema, type TrackerIssue } from "@faultline/proto";
import type { Command } from "commander";
import { printMessage, wholeNumber } from "../output.ts";
import { onProject } from "../service.ts";

/** `faultline trackers issue ...` */
export function issueCommands(trackers: Command): void {
  const issue = trackers.command("issue").description("the issue of an error");

  issue
    .command("show <project> <error>")
    .description("show the issue; nothing is printed where the error has none")
    .action(
      onProject(async (service, { projectId }, errorId: string) => {
        print((await service.trackerIssues.getTrackerIssue({ projectId, errorId }, service.call)).issue);
      }),
    );

  issue
    .command("create <project> <error> <tracker>")
    .description("create the issue in a tracker, named by its id")
    .option("--confidential", "only members of the tracker's project see it, where the tracker has that", false)
    .action(
      onProject(
        async (service, { projectId }, errorId: string, id: string, { confidential }: { confidential: boolean }) => {
          const asked = { projectId, errorId, trackerId: wholeNumber(id), confidential };
          print((await service.trackerIssues.createTrackerIssue(asked, service.call)).issue);
        },
      ),
    );

  issue
    .command("link <project> <error> <url>")
    .description("link an issue that is there, by its address in the browser")
    .action(
      onProject(async (service, { projectId }, errorId: string, url: string) => {
        print((await service.trackerIssues.linkTrackerIssue({ projectId, errorId, url }, service.call)).issue);
      }),
    );

  issue
    .command("unlink <project> <error>")
    .description("unlink the issue, which stays in the tracker")
    .action(
      onProject(async (service, { projectId }, errorId: string) => {
        print((await service.trackerIssues.unlinkTrackerIssue({ projectId, errorId }, service.call)).issue);
      }),
    );
}

function print(issue: TrackerIssue | undefined): void {
  if (issue) printMessage(TrackerIssueSchema, issue);
}
