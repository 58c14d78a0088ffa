import type { SignalDetail } from "../signals/detail.ts";
import { noticeLimits } from "@faultline/plugin";
import { cleanLine } from "@faultline/plugin/text";
import type { Fact } from "./message.ts";

/** What a signal says beside its error, as facts of its message. */
export function detailFacts(
  { spike, milestone, release, value, notice }: SignalDetail,
  { isOver, by }: { isOver: boolean; by: string },
): Fact[] {
  if (spike) {
    const { count, unit, minutes } = spike;
    return [{ label: isOver ? "At most" : "Counted", value: `${count} ${unit} in ${duration(minutes)}` }];
  }
  if (milestone !== undefined) return [{ label: "Reached", value: `${milestone.toLocaleString("en")} events` }];
  if (release !== undefined) return [{ label: "Release", value: cleanLine(release, 200) }];
  if (value) return [{ label: "New", value: cleanLine(`${value.name || value.kind} ${value.value}`, 200) }];
  if (notice) {
    const facts = [
      { label: "By", value: cleanLine(by, 255) },
      { label: "Text", value: cleanLine(notice.text, noticeLimits.textLength) },
    ];
    return facts.filter((fact) => fact.value !== "");
  }
  return [];
}

/** What happened to a project, in a sentence. */
export function projectSentence({ refused, quota, failing, channel, isOver }: SignalDetail): string {
  if (refused) {
    const counts = refused.map(({ reason, count }) => `${count} by ${refusals[reason] ?? reason}`);
    return `In this hour ${counts.join(", ")}.`;
  }
  if (quota) {
    const { of, bytes, limitBytes } = quota;
    const percent = Math.floor((100 * bytes) / limitBytes);
    const what = of === "day" ? "that can be received per day" : "that can be kept";
    return `${megabytes(bytes)} of the ${megabytes(limitBytes)} ${what} (${percent} %).`;
  }
  if (failing) {
    const since = new Date(failing.since).toISOString();
    return isOver
      ? `It had been failing since ${since}.`
      : `It has been failing since ${since}. ${cleanLine(failing.reason, 300)}`;
  }
  if (channel) return `${cleanLine(channel.name, 80)}: ${cleanLine(channel.reason, 300)}`;
  return "";
}

/** What refused events, in words. */
const refusals: Readonly<Record<string, string>> = {
  rate_limit: "the rate limit",
  quota: "a limit of the project",
  key_limit: "the limit of a client key",
  key_disabled: "a disabled client key",
  not_active: "error tracking, which is off",
  monitor_off: "the Monitor feature, which is off",
  external_backend: "the external backend, which accepts no events here",
  origin: "the origins of a client key",
  too_large: "their size",
};

function duration(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  return minutes === 60 ? "1 hour" : `${minutes / 60} hours`;
}

const megabytes = (bytes: number): string =>
  `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
