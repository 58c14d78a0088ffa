import type { UnstoredKind } from "../messages.ts";
import { counted, fullNumber } from "../number-format.ts";

const kindNames: Record<UnstoredKind, string> = {
  UNSTORED_KIND_UNSPECIFIED: "Item",
  UNSTORED_KIND_EVENT: "Event",
  UNSTORED_KIND_SESSION: "Session",
  UNSTORED_KIND_FEEDBACK: "Feedback",
  UNSTORED_KIND_UNREADABLE: "Unreadable",
};

/** The kind of an unstored thing, in a word. */
export const unstoredKindName = (kind: UnstoredKind): string => kindNames[kind];

/** The result of a retry. */
export interface Replayed {
  readonly stored: number;
  readonly failed: number;
  readonly accepted: number;
  readonly left: number;
}

/** The result in sentences. */
export function replayedWords({ stored, failed, accepted, left }: Replayed): string {
  const sentences: string[] = [];
  if (stored > 0 || accepted === 0) sentences.push(`${counted(stored, "event")} stored.`);
  if (accepted > 0) {
    const went = `${counted(accepted, "item")} ${accepted === 1 ? "was" : "were"} queued again.`;
    sentences.push(`${went} Items that still cannot be stored reappear here within seconds.`);
  }
  if (failed > 0) sentences.push(`${counted(failed, "event")} could not be stored again.`);
  if (left > 0) sentences.push(`${fullNumber(left)} more were not tried yet: try again.`);
  return sentences.join(" ");
}
