import type { TrackedError } from "../messages.ts";
import { fullNumber } from "../number-format.ts";
import { exactTime } from "../time/time-format.ts";

/** Names the parts of an error that are too many to count or find one by one. Empty: none. */
export function limitNotes(error: TrackedError | undefined, zone: string): string[] {
  if (error === undefined) return [];
  const { holdsOtherErrors, firstSeenTime, otherUserCount, otherTagCount, affectedUserCount } = error;
  const notes: string[] = [];
  if (holdsOtherErrors) {
    const since = firstSeenTime === undefined ? "" : `Since ${exactTime(Date.parse(firstSeenTime), zone)} more`;
    notes.push(
      `${since || "More"} new errors came than a project may have in a minute or a day, and their events are counted here. None is lost: each keeps its own title and stack trace in the list of events. Look there for what sends them. If it is not your application, replace its client key in the settings; if it is, give these events a fingerprint.`,
    );
  }
  if (otherUserCount > 0) {
    notes.push(
      `The first ${fullNumber(affectedUserCount)} users are counted. Events named up to ${fullNumber(otherUserCount)} more.`,
    );
  }
  if (otherTagCount > 0) {
    notes.push(
      `This error has too many tags to be found by all of them: 1,000 values of a tag and 200 tags can be searched. Up to ${fullNumber(otherTagCount)} more are shown with their events alone. Send what is different in each event, such as a request id, as extra data.`,
    );
  }
  return notes;
}
