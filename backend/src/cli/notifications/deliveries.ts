import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  NotificationDeliverySchema,
  NotificationDeliveryStateSchema,
  NotificationSuppressionSchema,
  ReplayNotificationDeliveriesResponseSchema,
  words,
  type Project,
} from "@faultline/proto";
import { Option, type Command } from "commander";
import { CommandFault, printMessage, wholeNumber } from "../output.ts";
import { onProject, type Service } from "../service.ts";
import { timeIn } from "../time-in.ts";

/** The states in the words of REST. */
const states = words(NotificationDeliveryStateSchema);

const pageSize = 100;

/** `faultline notifications deliveries ...`, `replay` and `suppressions` */
export function deliveryCommands(notifications: Command): void {
  notifications
    .command("deliveries <project>")
    .description("list what was sent, the newest first, each with its tries and what was answered")
    .option("--channel <channel>", "only to this channel, named by its id", wholeNumber, 0)
    .addOption(new Option("--state <state>", "only in this state").choices(Object.keys(states)))
    .option("--limit <number>", "at most so many", wholeNumber, pageSize)
    .action(onProject(list));

  notifications
    .command("replay <project> [delivery]")
    .description("send a failed delivery again, or all of a channel since a time, under their own ids")
    .option("--channel <channel>", "the channel whose failed deliveries are sent again", wholeNumber)
    .option("--since <time>", "those made since then, such as 2026-11-25T10:00:00Z", timeIn)
    .action(onProject(replay));

  notifications
    .command("suppressions <project>")
    .description("list what was not sent, and why, by hour, the newest first")
    .option("--rule <rule>", "only of this rule, named by its id", wholeNumber, 0)
    .option("--error <error>", "only of this error", "")
    .action(
      onProject(async (service, { projectId }, { rule, error }: { rule: number; error: string }) => {
        const asked = { projectId, ruleId: rule, errorId: error };
        const answer = await service.notificationDeliveries.listNotificationSuppressions(asked, service.call);
        for (const suppression of answer.suppressions) printMessage(NotificationSuppressionSchema, suppression);
      }),
    );
}

interface ListOptions {
  readonly channel: number;
  readonly state?: string;
  readonly limit: number;
}

async function list(service: Service, { projectId }: Project, { channel, state, limit }: ListOptions): Promise<void> {
  const asked = { projectId, channelId: channel, ...(state && { state: states[state] }) };
  let left = limit;
  let pageToken = "";
  do {
    const page = await service.notificationDeliveries.listNotificationDeliveries(
      { ...asked, pageSize: Math.min(left, pageSize), pageToken },
      service.call,
    );
    for (const delivery of page.deliveries) printMessage(NotificationDeliverySchema, delivery);
    left -= page.deliveries.length;
    pageToken = page.nextPageToken;
  } while (left > 0 && pageToken !== "");
}

interface ReplayOptions {
  readonly channel?: number;
  readonly since?: Timestamp;
}

async function replay(
  service: Service,
  { projectId }: Project,
  delivery: string | undefined,
  { channel, since }: ReplayOptions,
): Promise<void> {
  const isOne = delivery !== undefined && channel === undefined && since === undefined;
  const isAll = delivery === undefined && channel !== undefined && since !== undefined;
  if (!isOne && !isAll) throw new CommandFault("Name a delivery, or give --channel and --since.");
  const asked = isOne
    ? { projectId, deliveryId: BigInt(wholeNumber(delivery)) }
    : { projectId, channelId: channel ?? 0, ...(since && { sinceTime: since }) };
  const answer = await service.notificationDeliveries.replayNotificationDeliveries(asked, service.call);
  printMessage(ReplayNotificationDeliveriesResponseSchema, answer);
}
