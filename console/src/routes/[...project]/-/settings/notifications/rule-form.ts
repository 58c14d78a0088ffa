import { triggers } from "./triggers.ts";

/** The rule that a form describes, and what was typed. */
export function ruleIn(form: FormData) {
  const text = (key: string) => String(form.get(key) ?? "");
  const typed = {
    name: text("name"),
    filter: text("filter"),
    note: text("note"),
    spikeCount: text("spike_count"),
    spikeMinutes: text("spike_minutes"),
  };
  const { name, filter, note } = typed;
  const spike = {
    unit: text("spike_unit") === "users" ? "NOTIFICATION_SPIKE_UNIT_USERS" : "NOTIFICATION_SPIKE_UNIT_EVENTS",
    count: wholeNumber(typed.spikeCount),
    windowMinutes: wholeNumber(typed.spikeMinutes),
  } as const;
  const rule = {
    name,
    filter,
    note,
    enabled: form.get("enabled") !== "off",
    triggers: triggers.flatMap(({ value }) => (form.getAll("triggers").includes(value) ? [value] : [])),
    channelIds: form.getAll("channel_ids").map(Number),
    ...(form.has("spike_count") && { spike }),
  };
  return { rule, typed };
}

/** 0, which the service refuses with words, for what is no number. */
function wholeNumber(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 && number <= 0xffff_ffff ? number : 0;
}
