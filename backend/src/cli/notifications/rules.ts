import {
  NotificationRuleSchema,
  NotificationSpikeUnit,
  NotificationSpikeUnitSchema,
  NotificationTriggerSchema,
  PreviewNotificationRuleResponseSchema,
  words,
  type NotificationRule,
  type NotificationTrigger,
} from "@faultline/proto";
import { InvalidArgumentError, Option, type Command } from "commander";
import { CommandFault, printMessage, wholeNumber } from "../output.ts";
import { onProject, type Service } from "../service.ts";

/** The triggers in the words of REST, such as `created`. */
const triggers = words(NotificationTriggerSchema);

/** `faultline notifications rules ...` */
export function ruleCommands(notifications: Command): void {
  const rules = notifications
    .command("rules")
    .description("rules of a project: which changes are sent to which channels");

  rules
    .command("list <project>")
    .description("list the rules; <project> is a path or an id")
    .action(
      onProject(async (service, { projectId }) => {
        const answer = await service.notificationRules.listNotificationRules({ projectId }, service.call);
        for (const rule of answer.rules) print(rule);
      }),
    );

  withRule(rules.command("add <project> <name>"))
    .description("add a rule, which takes effect immediately")
    .action(
      onProject(async (service, { projectId }, name: string, options: RuleOptions) => {
        const rule = ruleOf(name, options);
        print((await service.notificationRules.createNotificationRule({ projectId, rule }, service.call)).rule);
      }),
    );

  withRule(rules.command("preview <project>"))
    .description("show what a rule would have sent in the last seven days")
    .action(
      onProject(async (service, { projectId }, options: RuleOptions) => {
        const asked = { projectId, rule: ruleOf("Preview", options) };
        const answer = await service.notificationRules.previewNotificationRule(asked, service.call);
        printMessage(PreviewNotificationRuleResponseSchema, answer);
      }),
    );

  for (const [word, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    rules
      .command(`${word} <project> <rule>`)
      .description(`${word} a rule, named by its id`)
      .action(
        onProject(async (service, { projectId }, id: string) => {
          const rule = { ...(await ruleWith(service, projectId, wholeNumber(id))), enabled };
          print((await service.notificationRules.updateNotificationRule({ projectId, rule }, service.call)).rule);
        }),
      );
  }

  rules
    .command("delete <project> <rule>")
    .description("delete a rule, named by its id")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const named = { projectId, ruleId: wholeNumber(id) };
        print((await service.notificationRules.deleteNotificationRule(named, service.call)).rule);
      }),
    );
}

/** Adds the options that describe a rule. */
const withRule = (command: Command): Command =>
  command
    .requiredOption(
      "--trigger <triggers>",
      `what it reports, with commas: ${Object.keys(triggers).join(", ")}`,
      listOf(triggerNamed),
    )
    .requiredOption("--channel <channels>", "where it sends: ids of channels, with commas", listOf(wholeNumber))
    .option("--filter <search>", "only errors that match, as in the console", "")
    .option("--note <text>", "what its messages say at their end, such as the address of a runbook", "")
    .option("--spike-count <number>", "for the trigger spike: from so many on", wholeNumber)
    .option("--spike-minutes <minutes>", "within so many minutes", wholeNumber, 10)
    .addOption(new Option("--spike-of <unit>", "of what").choices(Object.keys(units)).default("events"));

const units = words(NotificationSpikeUnitSchema);

interface RuleOptions {
  readonly trigger: NotificationTrigger[];
  readonly channel: number[];
  readonly filter: string;
  readonly note: string;
  readonly spikeCount?: number;
  readonly spikeMinutes: number;
  readonly spikeOf: string;
}

const ruleOf = (name: string, { trigger, channel, filter, note, ...spike }: RuleOptions) => ({
  name,
  enabled: true,
  triggers: trigger,
  channelIds: channel,
  filter,
  note,
  ...(spike.spikeCount !== undefined && {
    spike: {
      count: spike.spikeCount,
      windowMinutes: spike.spikeMinutes,
      unit: units[spike.spikeOf] ?? NotificationSpikeUnit.EVENTS,
    },
  }),
});

async function ruleWith(service: Service, projectId: number, ruleId: number): Promise<NotificationRule> {
  const { rules } = await service.notificationRules.listNotificationRules({ projectId }, service.call);
  const rule = rules.find((one) => one.ruleId === ruleId);
  if (!rule) throw new CommandFault(`There is no rule ${ruleId} in this project.`);
  return rule;
}

function print(rule: NotificationRule | undefined): void {
  if (rule) printMessage(NotificationRuleSchema, rule);
}

const listOf =
  <T>(read: (text: string) => T) =>
  (text: string): T[] =>
    text.split(",").map((one) => read(one.trim()));

function triggerNamed(name: string): NotificationTrigger {
  const trigger = Object.hasOwn(triggers, name) ? triggers[name] : undefined;
  if (trigger === undefined) throw new InvalidArgumentError(`Choose of ${Object.keys(triggers).join(", ")}.`);
  return trigger;
}
