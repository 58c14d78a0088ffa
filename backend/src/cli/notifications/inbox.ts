import { InboxEntrySchema, MarkInboxEntriesReadResponseSchema } from "@faultline/proto";
import type { Command } from "commander";
import { CommandFault, printMessage, refuseUnknown, wholeNumber } from "../output.ts";
import { pages } from "../pages.ts";
import { withService } from "../service.ts";

const pageSize = 100;

/** `faultline notifications inbox ...` */
export function inboxCommands(notifications: Command): void {
  const inbox = notifications.command("inbox").description("your own inbox, of all your projects");

  inbox
    .command("list")
    .description("list the entries, the newest first")
    .option("--unread", "only those that are not read", false)
    .option("--limit <number>", "at most so many", wholeNumber, pageSize)
    .action(({ unread, limit }: { unread: boolean; limit: number }) =>
      withService(async (service) => {
        let left = limit;
        const asked = { unreadOnly: unread, pageSize: Math.min(limit, pageSize) };
        for await (const { entries } of pages((pageToken) =>
          service.inbox.listInboxEntries({ ...asked, pageToken }, service.call),
        )) {
          for (const entry of entries.slice(0, left)) printMessage(InboxEntrySchema, entry);
          left -= entries.length;
          if (left <= 0) return;
        }
      }),
    );

  inbox
    .command("read [entries...]")
    .description("mark entries as read, named by their ids, and print how many are left")
    .option("--until <entry>", "this entry and all older ones", wholeNumber)
    .action((entries: readonly string[], { until }: { until?: number }) =>
      withService(async (service) => {
        if (entries.length === 0 && until === undefined) throw new CommandFault("Name entries, or give --until.");
        const named = { entryIds: entries.map((id) => BigInt(wholeNumber(id))), untilEntryId: BigInt(until ?? 0) };
        const answer = await service.inbox.markInboxEntriesRead(named, service.call);
        printMessage(MarkInboxEntriesReadResponseSchema, answer);
        refuseUnknown("entries", answer.notFoundEntryIds.map(String), "in your inbox");
      }),
    );
}
