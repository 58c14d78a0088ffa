import {
  badParameter,
  choice,
  filledText,
  flag,
  flagParam,
  idInPath,
  inline,
  isoTime,
  list,
  namedParam,
  noContent,
  numberParam,
  objectParam,
  operation,
  orEmpty,
  partOrNull,
  positive,
  present,
  required,
  shape,
  single,
  text,
  textParam,
  time,
  whole,
  withDefault,
  type Parameter,
  type Values,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  NotificationRuleService,
  NotificationSpikeUnit,
  NotificationSpikeUnitSchema,
  wordOf,
  words,
  type NotificationTrigger,
  type NotificationRule,
  type NotificationSpike,
} from "@faultline/proto";
import { triggerNames, triggerName } from "./trigger-names.ts";

export const ruleTag = "Notification rules";
const { method } = NotificationRuleService;

const units = words(NotificationSpikeUnitSchema);

const spikeShape = inline<NotificationSpike>("The limit of a spike; null: the rule is not about spikes.", {
  unit: [
    choice("What is counted.", Object.keys(units)),
    ({ unit }) => wordOf(NotificationSpikeUnitSchema, unit) ?? "events",
  ],
  count: [positive("So many make a spike."), ({ count }) => count],
  window_minutes: [positive("Within so many minutes."), ({ windowMinutes }) => windowMinutes],
});

const rule = shape<NotificationRule>("NotificationRule", "Which changes of errors are sent where.", {
  id: [positive("The rule."), ({ ruleId }) => ruleId],
  name: [text("Its name."), ({ name }) => name],
  enabled: [flag("It is in force."), ({ enabled }) => enabled],
  triggers: [
    list({ type: "string", enum: Object.keys(triggerNames) }, { description: "What it reports." }),
    ({ triggers }) => triggers.map(triggerName),
  ],
  filter: [text("Only errors that match (docs/search.md); empty: all."), ({ filter }) => filter],
  channel_ids: [list(positive("A channel."), { description: "Where it sends." }), ({ channelIds }) => channelIds],
  note: [text("What its messages say at their end; may be empty."), ({ note }) => note],
  created_at: [time("When it was added."), ({ createdTime }) => isoTime(createdTime)],
  created_by: [text("The user name of the person who added it."), ({ createdBy }) => createdBy],
  spike: partOrNull(spikeShape, ({ spike }) => spike),
});

const triggers: Parameter<NotificationTrigger[]> = {
  schema: list(
    { type: "string", enum: Object.keys(triggerNames) },
    { description: "What it reports; at least one.", minItems: 1 },
  ),
  isRequired: true,
  read(value, name) {
    if (value === undefined || value === null) throw badParameter(name, "is missing");
    const names: readonly unknown[] =
      typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value];
    return names.map((one) => {
      const trigger = typeof one === "string" ? triggerNames[one] : undefined;
      if (trigger === undefined) throw badParameter(name, "does not have a valid value");
      return trigger;
    });
  },
};

const channelIds: Parameter<number[]> = {
  schema: list(positive("A channel of the project."), { description: "Where it sends; at least one.", minItems: 1 }),
  isRequired: true,
  read(value, name) {
    if (value === undefined || value === null) throw badParameter(name, "is missing");
    const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
    return ids.map((id) => {
      const number = Number(id);
      if (!Number.isSafeInteger(number) || number < 1 || number > 0xffffffff) throw badParameter(name, "is invalid");
      return number;
    });
  },
};

export const ruleParams = {
  name: filledText("Its name.", { maxLength: 80 }),
  enabled: withDefault(flagParam("It is in force."), true),
  triggers,
  filter: orEmpty(textParam("Only errors that match (docs/search.md); empty: all.", { maxLength: 500 })),
  channel_ids: channelIds,
  note: orEmpty(textParam("What its messages say at their end, such as the address of a runbook.", { maxLength: 500 })),
  spike: objectParam("The limit of a spike; required with the trigger `spike`.", {
    unit: withDefault(namedParam("What is counted.", units), NotificationSpikeUnit.EVENTS, "events"),
    count: required(numberParam("So many make a spike.", { maximum: 1_000_000 })),
    window_minutes: required(numberParam("Within so many minutes; from 121 on a multiple of 60.", { maximum: 1_440 })),
  }),
};

/** The rule in a request. */
export const givenRule = ({ channel_ids: ids, spike, ...same }: Values<typeof ruleParams>) => ({
  ...same,
  channelIds: ids,
  ...(spike && { spike: { unit: spike.unit, count: spike.count, windowMinutes: spike.window_minutes } }),
});

const ruleAddress = "/projects/:project/error_tracking/notification_rules" as const;
const path = { rule_id: idInPath("The rule.", ErrorReason.NOTIFICATION_RULE_NOT_FOUND) };

export const listNotificationRules = operation(method.listNotificationRules, `GET ${ruleAddress}`, {
  tag: ruleTag,
  summary: "List the notification rules of a project",
  answer: whole("The rules.", rule),
  run: async ({ invoke }) => (await invoke({})).rules,
});

export const createNotificationRule = operation(method.createNotificationRule, `POST ${ruleAddress}`, {
  tag: ruleTag,
  summary: "Add a notification rule",
  params: ruleParams,
  answer: single(201, "The rule.", rule),
  run: async ({ params: sent, invoke }) => present((await invoke({ rule: givenRule(sent) })).rule),
});

export const updateNotificationRule = operation(method.updateNotificationRule, `PUT ${ruleAddress}/:rule_id`, {
  tag: ruleTag,
  summary: "Replace a notification rule",
  path,
  params: ruleParams,
  answer: single(200, "The rule as it is now.", rule),
  run: async ({ path: { rule_id: ruleId }, params: sent, invoke }) =>
    present((await invoke({ rule: { ...givenRule(sent), ruleId } })).rule),
});

export const deleteNotificationRule = operation(method.deleteNotificationRule, `DELETE ${ruleAddress}/:rule_id`, {
  tag: ruleTag,
  summary: "Delete a notification rule",
  path,
  answer: noContent,
  run: ({ path: { rule_id: ruleId }, invoke }) => invoke({ ruleId }),
});
