import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, readSearch, ServiceError, timestamp } from "@faultline/plugin";
import {
  ErrorReason,
  NotificationSpikeUnit,
  NotificationTrigger,
  NotificationTriggerSchema,
  type NotificationRule,
  type NotificationRuleSchema,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import { checkedName } from "@faultline/plugin/text";
import { sampledMinutes, type SpikeLimit } from "./signals/spike.ts";
import { isNotice, numberOf, type Kinds } from "./kinds.ts";
import type { KindNumber, RuleRow, Tables } from "./tables.ts";

const longestNote = 500;

const mostKinds = 100;

const mostMinutes = 1_440;
const mostCounted = { events: 1_000_000, users: 1_000 } as const;

/** The numbers of the kinds that a rule reports. */
export const triggersOf = ({ triggers }: Pick<RuleRow, "triggers">) => JSON.parse(triggers) as KindNumber[];

export const channelIdsOf = ({ channel_ids: ids }: Pick<RuleRow, "channel_ids">) => JSON.parse(ids) as number[];

/** The limit of a rule about spikes. */
export const spikeOf = ({ spike }: Pick<RuleRow, "spike">): SpikeLimit | undefined =>
  spike === "" ? undefined : (JSON.parse(spike) as SpikeLimit); // written by checkedSpike

export const ruleToProto = (row: RuleRow, kinds: Kinds): MessageInitShape<typeof NotificationRuleSchema> => ({
  ruleId: row.id,
  name: row.name,
  enabled: row.is_enabled === 1,
  triggers: triggersOf(row).filter((number) => !isNotice(number)) as NotificationTrigger[], // written by checkedKinds
  kinds: triggersOf(row).flatMap((number) => kinds.named(number).kind || []),
  filter: row.filter,
  channelIds: channelIdsOf(row),
  note: row.note,
  createdTime: timestamp(row.created_at),
  createdBy: row.created_by,
  ...spikeToProto(spikeOf(row)),
});

function spikeToProto(spike: SpikeLimit | undefined): Pick<MessageInitShape<typeof NotificationRuleSchema>, "spike"> {
  if (!spike) return {};
  const unit = spike.unit === "users" ? NotificationSpikeUnit.USERS : NotificationSpikeUnit.EVENTS;
  return { spike: { unit, count: spike.count, windowMinutes: spike.minutes } };
}

/** The columns of a rule that people set. Refuses the first invalid field with INVALID_FIELD. */
export function checkedRule(
  rule: NotificationRule | undefined,
  { channels, kinds }: { channels: readonly { readonly id: number }[]; kinds: Kinds },
) {
  if (!rule) throw invalidField("rule", "Enter a name for the rule.");
  const { name, enabled, filter, note } = rule;
  const triggers = checkedKinds(rule, kinds);
  const channelIds = [...new Set(rule.channelIds)];
  if (channelIds.length === 0) throw invalidField("rule.channel_ids", "Choose at least one channel.");
  const missing = channelIds.find((id) => channels.every((channel) => channel.id !== id));
  if (missing !== undefined) throw invalidField("rule.channel_ids", `This project has no channel ${missing}.`);
  readSearch(filter);
  if (note.length > longestNote) throw invalidField("rule.note", `The note has at most ${longestNote} characters.`);
  return {
    name: checkedName(name),
    is_enabled: enabled ? 1 : 0,
    triggers: JSON.stringify(triggers),
    filter: filter.trim(),
    channel_ids: JSON.stringify(channelIds),
    note: note.trim(),
    spike: triggers.includes(NotificationTrigger.SPIKE) ? JSON.stringify(checkedSpike(rule)) : "",
  };
}

/** The numbers of the kinds that a rule names, each once. */
function checkedKinds({ triggers, kinds: names }: NotificationRule, kinds: Kinds): KindNumber[] {
  const ofPlugins = kinds.all.filter(({ number }) => isNotice(number));
  const known = ofPlugins.map(({ kind }) => kind).join(", ");
  if (triggers.includes(NotificationTrigger.ANNOUNCED)) {
    throw invalidField("rule.triggers", `Name the kinds of notifications of plugins in kinds${known && `: ${known}`}.`);
  }
  if (
    triggers.length + names.length === 0 ||
    triggers.some((one) => one === 0 || !NotificationTriggerSchema.value[one])
  ) {
    throw invalidField(
      "rule.triggers",
      "Choose what the rule reports: at least one of new errors, reopened errors, changes of status, spikes and so on.",
    );
  }
  if (names.length > mostKinds) throw invalidField("rule.kinds", `Name at most ${mostKinds} kinds of notifications.`);
  const unknown = names.find((name) => ofPlugins.every(({ kind }) => kind !== name));
  if (unknown !== undefined) {
    throw invalidField(
      "rule.kinds",
      `No plugin announces the kind ${JSON.stringify(unknown.slice(0, 40))}. ${known === "" ? "There are no kinds of plugins." : `Use one of: ${known}.`}`,
    );
  }
  return [...new Set([...triggers, ...names.map(numberOf)])];
}

function checkedSpike({ spike }: NotificationRule): SpikeLimit {
  if (!spike) throw invalidField("rule.spike", "Enter how many events or users within how many minutes make a spike.");
  const { count, windowMinutes: minutes } = spike;
  const unit = spike.unit === NotificationSpikeUnit.USERS ? "users" : "events";
  if (count < 1 || count > mostCounted[unit]) {
    throw invalidField("rule.spike.count", `Enter 1 to ${mostCounted[unit].toLocaleString("en")} ${unit}.`);
  }
  if (minutes < 1 || minutes > mostMinutes) {
    throw invalidField("rule.spike.window_minutes", "Enter 1 to 1,440 minutes (24 hours).");
  }
  if (minutes > sampledMinutes && minutes % 60 !== 0) {
    throw invalidField(
      "rule.spike.window_minutes",
      `Above ${sampledMinutes} minutes, whole hours are counted: enter a multiple of 60.`,
    );
  }
  return { unit, count, minutes };
}

/** A rule of a project, or a refusal. */
export async function readRule(tables: Kysely<Tables>, projectId: number, ruleId: number): Promise<RuleRow> {
  const row = await tables
    .selectFrom("notifier_rule")
    .selectAll()
    .where("id", "=", ruleId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (row) return row;
  throw new ServiceError(
    ErrorReason.NOTIFICATION_RULE_NOT_FOUND,
    "This notification rule does not exist in this project. It may have been deleted.",
  );
}
