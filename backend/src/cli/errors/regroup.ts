import { RegroupingJoinSchema, RegroupingSplitSchema } from "@faultline/proto";
import type { Command } from "commander";
import { printMessage, progress, wholeNumber } from "../output.ts";
import { onProject } from "../service.ts";

/** `faultline errors regroup <project> --dry-run` */
export function regroupCommand(errors: Command): void {
  errors
    .command("regroup <project>")
    .description("compare the groups of stored events with those that they would have now: joins and splits")
    .requiredOption("--dry-run", "change nothing: events regroup errors by themselves as they come")
    .option("--errors <count>", "how many errors to examine, at most 5,000", wholeNumber, 1_000)
    .option("--events <count>", "how many events of each, at most 50", wholeNumber, 5)
    .action(
      onProject(async (service, { projectId }, options: RegroupOptions) => {
        const { errors: errorCount, events: eventsPerError } = options;
        const asked = { projectId, errorCount, eventsPerError };
        const { joins, splits, ...counted } = await service.errors.previewRegrouping(asked, service.call);
        for (const join of joins) printMessage(RegroupingJoinSchema, join);
        for (const split of splits) printMessage(RegroupingSplitSchema, split);
        progress(
          `Examined ${counted.examinedEventCount} events of ${counted.examinedErrorCount} errors: ${counted.groupCount} groups. Joins: ${joins.length}. Splits: ${splits.length}.`,
        );
        if (counted.hasMore) progress("The project has more errors. Ask for more with --errors.");
      }),
    );
}

interface RegroupOptions {
  readonly errors: number;
  readonly events: number;
}
