import type { NotificationRule, NotificationTriggerState } from "#lib/messages.ts";

export const spikeTrigger = "NOTIFICATION_TRIGGER_SPIKE";

/** The choices in the form of a new rule. */
export const usualTriggers: readonly string[] = ["NOTIFICATION_TRIGGER_CREATED", "NOTIFICATION_TRIGGER_REOPENED"];

/** The reports of a rule, in words. `states` has the words of everything that rules can report. */
export const reportWords = (
  { triggers, kinds, spike }: NotificationRule,
  states: readonly NotificationTriggerState[],
) =>
  states
    .filter(({ trigger, kind }) => (kind ? kinds.includes(kind) : triggers.includes(trigger)))
    .map(({ trigger, label }) => (trigger === spikeTrigger && spike ? `${label} (${spikeWords(spike)})` : label))
    .join(", ");

/** `100 events in 10 minutes`. */
function spikeWords({ unit, count, windowMinutes }: NonNullable<NotificationRule["spike"]>): string {
  const what = unit === "NOTIFICATION_SPIKE_UNIT_USERS" ? ["user", "users"] : ["event", "events"];
  return `${count} ${count === 1 ? what[0] : what[1]} in ${windowMinutes === 1 ? "1 minute" : `${windowMinutes} minutes`}`;
}

/** Why a change would not be reported, in the page's words. */
export const suppressionWords: Readonly<Record<string, string>> = {
  ignored: "of ignored errors",
  over: "over before they could be reported",
  filtered: "that the search does not match",
  repeated: "repeated within 30 minutes",
  channel_disabled: "to disabled channels",
  maintenance: "in maintenance windows",
};
