import { UserFeedbackSchema } from "@faultline/proto";
import type { Command } from "commander";
import { printMessage, wholeNumber } from "../output.ts";
import { pages } from "../pages.ts";
import { onProject } from "../service.ts";

/** `faultline feedback ...` */
export function feedbackCommands(program: Command): void {
  const feedback = program.command("feedback").description("what users wrote");

  feedback
    .command("list <project>")
    .description("list what users wrote, about an event or about none, the newest first")
    .option("--limit <count>", "how many at most", wholeNumber, 100)
    .action(
      onProject(async (service, { projectId }, { limit }: { limit: number }) => {
        let left = limit;
        for await (const page of pages((pageToken) =>
          service.errors.listFeedback({ projectId, pageSize: Math.min(left, 100), pageToken }, service.call),
        )) {
          for (const entry of page.feedback) printMessage(UserFeedbackSchema, entry);
          left -= page.feedback.length;
          if (left <= 0) return;
        }
      }),
    );
}
