import {
  NotificationChannelKindSchema,
  NotificationChannelSchema,
  TestNotificationChannelResponseSchema,
  type NotificationChannel,
} from "@faultline/proto";
import type { Command } from "commander";
import { fieldsOf, withFields, type FieldOptions } from "../fields.ts";
import { CommandFault, printLine, printMessage, wholeNumber } from "../output.ts";
import { onProject, withService } from "../service.ts";

/** `faultline notifications kinds` and `faultline notifications channels ...` */
export function channelCommands(notifications: Command): void {
  notifications
    .command("kinds")
    .description("list the kinds of channels with their fields")
    .action(() =>
      withService(async (service) => {
        const { kinds } = await service.notificationChannels.listNotificationChannelKinds({}, service.call);
        for (const kind of kinds) printMessage(NotificationChannelKindSchema, kind);
      }),
    );

  const channels = notifications.command("channels").description("channels of a project: chats, webhooks, pagers");

  channels
    .command("list <project>")
    .description("list the channels with their state, without secrets; <project> is a path or an id")
    .action(
      onProject(async (service, { projectId }) => {
        const answer = await service.notificationChannels.listNotificationChannels({ projectId }, service.call);
        for (const channel of answer.channels) print(channel);
      }),
    );

  withFields(channels.command("add <project> <kind> <name>"))
    .description("add a channel, and show the key that signs the deliveries of a webhook, once")
    .action(
      onProject(async (service, { projectId }, kind: string, name: string, options: FieldOptions) => {
        const given = { projectId, kind, name, fields: fieldsOf(options) };
        const { channel, signingSecret } = await service.notificationChannels.createNotificationChannel(
          given,
          service.call,
        );
        print(channel);
        if (signingSecret !== "") printLine({ signingSecret });
      }),
    );

  withFields(channels.command("update <project> <channel>"))
    .description("change a channel, named by its id; what is not named stays, and a disabled one sends again")
    .option("--name <name>", "its new name", "")
    .option("--rotate-signing-key", "make a new key for a webhook; the old one signs as well for 24 hours", false)
    .action(
      onProject(async (service, { projectId }, id: string, options: UpdateOptions) => {
        const { channel, signingSecret } = await service.notificationChannels.updateNotificationChannel(
          {
            projectId,
            channelId: wholeNumber(id),
            name: options.name,
            fields: fieldsOf(options),
            rotateSigningSecret: options.rotateSigningKey,
          },
          service.call,
        );
        print(channel);
        if (signingSecret !== "") printLine({ signingSecret });
      }),
    );

  channels
    .command("test <project> <channel>")
    .description("send a test to a channel and show what the other side answered")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const named = { projectId, channelId: wholeNumber(id) };
        const tested = await service.notificationChannels.testNotificationChannel(named, service.call);
        printMessage(TestNotificationChannelResponseSchema, tested);
        if (!tested.accepted) throw new CommandFault("The test was not accepted.");
      }),
    );

  channels
    .command("delete <project> <channel>")
    .description("delete a channel with its deliveries")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const named = { projectId, channelId: wholeNumber(id) };
        print((await service.notificationChannels.deleteNotificationChannel(named, service.call)).channel);
      }),
    );
}

interface UpdateOptions extends FieldOptions {
  readonly name: string;
  readonly rotateSigningKey: boolean;
}

function print(channel: NotificationChannel | undefined): void {
  if (channel) printMessage(NotificationChannelSchema, channel);
}
