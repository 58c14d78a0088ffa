import type { Project } from "@faultline/proto";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import { bodyOf, operationNamed } from "./operations.ts";
import { CommandFault, print, refuseUnknown, wholeNumber } from "./output.ts";
import { onProject, withService, type Service } from "./service.ts";

/** The commands of `faultline notifications` that differ from the operations of REST. */
export function notificationCommands(notifications: Command): void {
  ruleCommands(
    notifications.command("rules").description("Rules of a project: which changes are sent to which channels"),
  );

  notifications
    .command("replay <project> [delivery]")
    .description("Send a failed delivery again, or all of a channel since a time, under their own ids")
    .option("--channel <channel>", "The channel whose failed deliveries are sent again", wholeNumber)
    .option("--since <time>", "Those made since then, such as 2026-11-25T10:00:00Z", timeIn)
    .action(onProject(replay));

  notifications
    .command("inbox")
    .description("Your own inbox, of all your projects")
    .command("read [entries...]")
    .description("Mark entries as read, named by their ids, and print how many are left")
    .option("--until <entry>", "This entry and all older ones", wholeNumber)
    .action((entries: readonly string[], { until }: { until?: number }) =>
      withService(async (service) => {
        if (entries.length === 0 && until === undefined) throw new CommandFault("Name entries, or give --until.");
        const named = { entryIds: entries.map((id) => BigInt(wholeNumber(id))), untilEntryId: BigInt(until ?? 0) };
        const { unreadCount, notFoundEntryIds } = await service.inbox.markInboxEntriesRead(named, service.call);
        print({ unread_count: unreadCount, not_found: notFoundEntryIds.map(Number) });
        refuseUnknown("entries", notFoundEntryIds.map(String), "in your inbox");
      }),
    );

  notifications
    .command("preferences")
    .description("Show what you are notified of in all projects, after changing what is given")
    .addOption(new Option("--mail <mail>", "Whether you want mail").choices(["on", "off"]))
    .option("--time-zone <name>", "The time zone of your quiet hours, such as Europe/Berlin")
    .option("--quiet-hours <hours>", "Such as 22:00-07:00, or none", quietHoursIn)
    .action((options: PreferenceOptions) => withService((service) => preferences(service, options)));

  notifications
    .command("subscription <project> <error>")
    .description("Show why you were, or were not, notified of an error, after setting what is given")
    .addArgument(new Argument("[subscription]", "What you want").choices(Object.keys(subscriptions)))
    .action(
      onProject(async (service, project, error: string, wanted?: keyof typeof subscriptions) => {
        const given = { project, path: { error_id: error } };
        if (wanted !== undefined) {
          const sent = { subscription: subscriptions[wanted] };
          await bodyOf(service, await operationNamed("updateErrorSubscription"), { ...given, sent });
        }
        print(await bodyOf(service, await operationNamed("getErrorSubscription"), given));
      }),
    );
}

/** The words of REST. */
const subscriptions = { watch: "watched", mute: "muted", neither: "none" } as const;

async function replay(
  { notificationDeliveries, call }: Service,
  { projectId }: Project,
  delivery: string | undefined,
  { channel, since }: { readonly channel?: number; readonly since?: Timestamp },
): Promise<void> {
  const isOne = delivery !== undefined && channel === undefined && since === undefined;
  const isAll = delivery === undefined && channel !== undefined && since !== undefined;
  if (!isOne && !isAll) throw new CommandFault("Name a delivery, or give --channel and --since.");
  const asked = isOne
    ? { projectId, deliveryId: BigInt(wholeNumber(delivery)) }
    : { projectId, channelId: channel ?? 0, ...(since && { sinceTime: since }) };
  const { replayedCount } = await notificationDeliveries.replayNotificationDeliveries(asked, call);
  print({ replayed_count: replayedCount });
}

interface PreferenceOptions {
  readonly mail?: "on" | "off";
  readonly timeZone?: string;
  readonly quietHours?: readonly [from: string | null, until: string | null];
}

async function preferences(service: Service, { mail, timeZone, quietHours }: PreferenceOptions): Promise<void> {
  const before = (await bodyOf(service, await operationNamed("getNotificationPreferences"))) as object; // an object, as declared
  const [from, until] = quietHours ?? [];
  const sent = {
    ...before,
    ...(mail !== undefined && { mail: mail === "on" }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(quietHours && { quiet_from: from, quiet_until: until }),
  };
  const isSame = mail === undefined && timeZone === undefined && quietHours === undefined;
  print(isSame ? before : await bodyOf(service, await operationNamed("updateNotificationPreferences"), { sent }));
}

function quietHoursIn(text: string): NonNullable<PreferenceOptions["quietHours"]> {
  if (text === "none") return [null, null];
  const [, from, until] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(text) ?? [];
  if (from === undefined || until === undefined) {
    throw new InvalidArgumentError("Give hours such as 22:00-07:00, or none.");
  }
  return [from, until];
}

function timeIn(text: string): Timestamp {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("Give a time such as 2026-11-25T10:00:00Z.");
  return timestampFromDate(time);
}

/** `faultline notifications rules add`, `preview`, `enable` and `disable` */
function ruleCommands(rules: Command): void {
  withRule(rules.command("add <project> <name>"))
    .description("Add a rule, which takes effect immediately")
    .action(
      onProject(async (service, project, name: string, options: RuleOptions) => {
        const sent = { name, ...ruleOf(options) };
        print(await bodyOf(service, await operationNamed("createNotificationRule"), { project, sent }));
      }),
    );

  withRule(rules.command("preview <project>"))
    .description("Show what a rule would have sent in the last seven days")
    .action(
      onProject(async (service, project, options: RuleOptions) => {
        const sent = { name: "Preview", ...ruleOf(options) };
        print(await bodyOf(service, await operationNamed("previewNotificationRule"), { project, sent }));
      }),
    );

  for (const [word, enabled, description] of [
    ["enable", true, "Enable a rule, named by its id"],
    ["disable", false, "Disable a rule, named by its id"],
  ] as const) {
    rules
      .command(`${word} <project> <rule>`)
      .description(description)
      .action(
        onProject(async (service, project, id: string) => {
          const all = (await bodyOf(service, await operationNamed("listNotificationRules"), { project })) as {
            id: number;
          }[]; // rules
          const rule = all.find((one) => String(one.id) === id);
          if (!rule) throw new CommandFault(`There is no rule ${id} in this project.`);
          const given = { project, path: { rule_id: id }, sent: { ...rule, enabled } };
          print(await bodyOf(service, await operationNamed("updateNotificationRule"), given));
        }),
      );
  }
}

/** Adds the options that describe a rule. */
const withRule = (command: Command): Command =>
  command
    .option("--trigger <triggers>", "What it reports, with commas: see faultline notifications rules triggers")
    .option("--kind <kinds>", "The kinds of notifications of plugins that it reports, with commas")
    .requiredOption("--channel <channels>", "Where it sends: ids of channels, with commas")
    .option("--filter <search>", "Only errors that match, as in the console", "")
    .option("--note <text>", "What its messages say at their end, such as the address of a runbook", "")
    .option("--spike-count <number>", "For the trigger spike: from so many on", wholeNumber)
    .option("--spike-minutes <minutes>", "Within so many minutes", wholeNumber, 10)
    .addOption(new Option("--spike-of <unit>", "Of what").choices(["events", "users"]).default("events"));

interface RuleOptions {
  readonly trigger?: string;
  readonly kind?: string;
  readonly channel: string;
  readonly filter: string;
  readonly note: string;
  readonly spikeCount?: number;
  readonly spikeMinutes: number;
  readonly spikeOf: string;
}

/** A rule in the form of REST. */
const ruleOf = ({ trigger, kind, channel, filter, note, ...spike }: RuleOptions) => ({
  triggers: trigger?.split(",") ?? [],
  ...(kind !== undefined && { kinds: kind.split(",") }),
  channel_ids: channel.split(","),
  filter,
  note,
  ...(spike.spikeCount !== undefined && {
    spike: { count: spike.spikeCount, window_minutes: spike.spikeMinutes, unit: spike.spikeOf },
  }),
});
