import { fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { invalidField, millisecondsOf } from "@faultline/plugin";
import { DiscardEndSchema, type DiscardEnd } from "@faultline/proto";
import type { DiscardTable } from "../tables.ts";

const longestMs = 10 * 366 * 24 * 3_600_000;
const releaseLength = 200;

/** Refuses an end that can never occur. */
export function checkDiscardEnd({ end }: DiscardEnd, now: number): void {
  switch (end.case) {
    case "time": {
      const at = millisecondsOf(end.value);
      if (at <= now || at > now + longestMs) {
        throw invalidField("discard.time", "A discard ends at a time in the future, within ten years.");
      }
      return;
    }
    case "eventCount":
      if (end.value === 0) throw invalidField("discard.event_count", "A discard ends after 1 event or more.");
      return;
    case "release":
      if (end.value.trim() === "" || end.value.length > releaseLength) {
        throw invalidField(
          "discard.release",
          `Name the release that ends the discard, in 1 to ${releaseLength} characters.`,
        );
      }
      return;
    default:
  }
}

/** The end as a deletion stores it. */
export const discardEndText = (end: DiscardEnd | undefined) => (end ? toJsonString(DiscardEndSchema, end) : "");

/** The end as a discard stores it. */
export function discardEndColumns(text: string): Pick<DiscardTable, "ends_at" | "ends_after" | "ends_with_release"> {
  const { end } = fromJsonString(DiscardEndSchema, text);
  return {
    ends_at: end.case === "time" ? millisecondsOf(end.value) : null,
    ends_after: end.case === "eventCount" ? end.value : null,
    ends_with_release: end.case === "release" ? end.value.trim() : "",
  };
}
