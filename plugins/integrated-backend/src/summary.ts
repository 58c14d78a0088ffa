import type { ErrorEvent } from "@faultline/proto";

/** What a list shows of an event. */
export interface Summary {
  readonly title: string;
  readonly type: string;
  readonly value: string;
}

/** Title, type and value of an event: its main exception is the last of the chain, the one that was caught. */
export function summaryOf(event: ErrorEvent): Summary {
  const main = event.exceptions.at(-1);
  const type = main?.type ?? "";
  const value = (main?.value || event.message).slice(0, 1024);
  return { title: event.title || titleOf(type, value), type, value };
}

function titleOf(type: string, value: string): string {
  const [line = ""] = value.trim().split(/[\r\n\u2028\u2029]/, 1);
  const title = type && line ? `${type}: ${line}` : type || line || "<unlabeled event>";
  return title.length > 256 ? `${title.slice(0, 253)}...` : title;
}
