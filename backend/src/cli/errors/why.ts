import { ExplainGroupingResponseSchema } from "@faultline/proto";
import type { Command } from "commander";
import { printMessage } from "../output.ts";
import { onProject } from "../service.ts";

/** `faultline errors why` */
export function whyCommand(errors: Command): void {
  errors
    .command("why <project> <error> [other]")
    .description("why the events of an error are one error, and what distinguishes it from another error")
    .option("--event <id>", "explain this event of the error instead of the newest", "")
    .action(
      onProject(async (service, { projectId }, errorId: string, otherErrorId = "", { event: eventId }: WhyOptions) => {
        const asked = { projectId, errorId, otherErrorId, eventId };
        printMessage(ExplainGroupingResponseSchema, await service.errors.explainGrouping(asked, service.call));
      }),
    );
}

interface WhyOptions {
  readonly event: string;
}
