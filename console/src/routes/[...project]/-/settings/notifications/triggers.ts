import type { NotificationRule } from "#lib/messages.ts";

/** What a rule can report, in the words of the page. */
export const triggers = [
  { value: "NOTIFICATION_TRIGGER_CREATED", label: "New errors", isUsual: true },
  { value: "NOTIFICATION_TRIGGER_REOPENED", label: "Errors that came back", isUsual: true },
  { value: "NOTIFICATION_TRIGGER_SPIKE", label: "Spikes", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_MILESTONE", label: "The 10th, 100th, … event of an error", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_RELEASE", label: "The first new error of a release", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_STATUS", label: "Status changes", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_REFUSED", label: "Refused events", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_QUOTA_NEAR", label: "A limit at 80 %", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_QUOTA_REACHED", label: "A limit that is reached", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_BACKEND_FAILING", label: "A failing external system", isUsual: false },
  { value: "NOTIFICATION_TRIGGER_CHANNEL_FAILING", label: "A failing channel (to the others)", isUsual: false },
] as const;

export const spikeTrigger = "NOTIFICATION_TRIGGER_SPIKE";

/** The words of a trigger. */
export const triggerLabel = (trigger: string): string => triggers.find(({ value }) => value === trigger)?.label ?? "";

/** The words of what a rule reports. */
export const triggerLabels = ({ triggers: values, spike }: NotificationRule): string =>
  triggers
    .flatMap(({ value, label }) => {
      if (!values.includes(value)) return [];
      return [value === spikeTrigger && spike ? `${label} (${spikeLabel(spike)})` : label];
    })
    .join(", ");

/** `100 events in 10 minutes`. */
function spikeLabel({ unit, count, windowMinutes }: NonNullable<NotificationRule["spike"]>): string {
  const what = unit === "NOTIFICATION_SPIKE_UNIT_USERS" ? ["user", "users"] : ["event", "events"];
  return `${count} ${count === 1 ? what[0] : what[1]} in ${windowMinutes === 1 ? "1 minute" : `${windowMinutes} minutes`}`;
}

/** Why a change would not be reported, in the words of the page. */
export const suppressionWords: Readonly<Record<string, string>> = {
  ignored: "of ignored errors",
  over: "over before they could be reported",
  filtered: "that the search does not match",
  repeated: "repeated within 30 minutes",
  channel_disabled: "to disabled channels",
  maintenance: "in maintenance windows",
};
