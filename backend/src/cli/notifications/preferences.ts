import {
  ErrorSubscription,
  GetErrorSubscriptionResponseSchema,
  NotificationLevel,
  NotificationLevelSchema,
  NotificationPreferencesSchema,
  ProjectNotificationLevelSchema,
  words,
} from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import { printMessage } from "../output.ts";
import { pages } from "../pages.ts";
import { onProject, withService, type Service } from "../service.ts";

/** The levels in the words of REST. */
const levels = words(NotificationLevelSchema, "default");

const subscriptions = {
  watch: ErrorSubscription.WATCHED,
  mute: ErrorSubscription.MUTED,
  neither: ErrorSubscription.UNSPECIFIED,
} as const;

type QuietHours = NonNullable<MessageInitShape<typeof NotificationPreferencesSchema>["quietHours"]>;

/** `faultline notifications preferences`, `levels`, `level` and `subscription` */
export function preferenceCommands(notifications: Command): void {
  notifications
    .command("preferences")
    .description("show what you are notified of in all projects, after changing what is given")
    .addOption(new Option("--mail <mail>", "whether you want mail").choices(["on", "off"]))
    .option("--time-zone <name>", "the time zone of your quiet hours, such as Europe/Berlin")
    .option("--quiet-hours <hours>", "such as 22:00-07:00; none: there are none", quietHoursIn)
    .action((options: PreferenceOptions) => withService((service) => preferences(service, options)));

  notifications
    .command("levels")
    .description("list your levels, by project")
    .action(() =>
      withService(async (service) => {
        for await (const page of pages((pageToken) =>
          service.notificationPreferences.listNotificationLevels({ pageSize: 100, pageToken }, service.call),
        )) {
          for (const level of page.levels) printMessage(ProjectNotificationLevelSchema, level);
        }
      }),
    );

  notifications
    .command("level <project>")
    .description("set your level of a project")
    .addArgument(new Argument("<level>").choices(Object.keys(levels)))
    .action(
      onProject(async (service, { projectId }, level: string) => {
        const asked = { projectId, level: levels[level] ?? NotificationLevel.UNSPECIFIED };
        const answer = await service.notificationPreferences.updateNotificationLevel(asked, service.call);
        if (answer.level) printMessage(ProjectNotificationLevelSchema, answer.level);
      }),
    );

  notifications
    .command("subscription <project> <error>")
    .description("show why you were, or were not, notified of an error, after setting what is given")
    .addArgument(new Argument("[subscription]").choices(Object.keys(subscriptions)))
    .action(
      onProject(async (service, { projectId }, errorId: string, wanted?: keyof typeof subscriptions) => {
        const named = { projectId, errorId };
        if (wanted !== undefined) {
          const set = { ...named, subscription: subscriptions[wanted] };
          await service.notificationPreferences.updateErrorSubscription(set, service.call);
        }
        const answer = await service.notificationPreferences.getErrorSubscription(named, service.call);
        printMessage(GetErrorSubscriptionResponseSchema, answer);
      }),
    );
}

interface PreferenceOptions {
  readonly mail?: "on" | "off";
  readonly timeZone?: string;
  readonly quietHours?: QuietHours | "none";
}

async function preferences(service: Service, { mail, timeZone, quietHours }: PreferenceOptions): Promise<void> {
  const stored = await service.notificationPreferences.getNotificationPreferences({}, service.call);
  const before = stored.preferences;
  if (!before) return;
  if (mail === undefined && timeZone === undefined && quietHours === undefined) {
    printMessage(NotificationPreferencesSchema, before);
    return;
  }
  const hours = quietHours === "none" ? undefined : (quietHours ?? before.quietHours);
  const after = {
    mail: mail === undefined ? before.mail : mail === "on",
    timeZone: timeZone ?? before.timeZone,
    ...(hours && { quietHours: hours }),
  };
  const answer = await service.notificationPreferences.updateNotificationPreferences(
    { preferences: after },
    service.call,
  );
  if (answer.preferences) printMessage(NotificationPreferencesSchema, answer.preferences);
}

function quietHoursIn(text: string): QuietHours | "none" {
  if (text === "none") return "none";
  const [, ...numbers] = /^(\d{2}):(\d{2})-(\d{2}):(\d{2})$/.exec(text) ?? [];
  const [fromHour, fromMinute, untilHour, untilMinute] = numbers.map(Number);
  if (untilMinute === undefined) throw new InvalidArgumentError("Give hours such as 22:00-07:00, or none.");
  return {
    fromMinute: (fromHour ?? 0) * 60 + (fromMinute ?? 0),
    untilMinute: (untilHour ?? 0) * 60 + untilMinute,
  };
}
