import type { TrackedError } from "../messages.ts";
import { fullNumber } from "../number-format.ts";
import { exactTime } from "../time/time-format.ts";

/** A sentence about an error as a whole, with the errors that it names. */
interface ErrorNote {
  readonly text: string;
  readonly errorIds: readonly string[];
}

/** What a person should know of an error beside its facts: how grouping changed it, and what is too much to count or find. */
export function errorNotes(error: TrackedError | undefined, zone: string): ErrorNote[] {
  if (error === undefined) return [];
  return [...groupingNotes(error, zone), ...limitNotes(error, zone).map((text) => ({ text, errorIds: [] }))];
}

function groupingNotes(error: TrackedError, zone: string): ErrorNote[] {
  const { splitFromErrorId, splitFromTime, joinedErrorIds, joinedToErrorId } = error;
  const notes: ErrorNote[] = [];
  if (splitFromErrorId !== "") {
    const until = splitFromTime === undefined ? "" : `Until ${exactTime(Date.parse(splitFromTime), zone)} `;
    const text = `${until || "Before, "}the events of this error were counted in another error:`;
    notes.push({ text, errorIds: [splitFromErrorId] });
  }
  if (joinedErrorIds.length > 0) {
    const text = "This error also takes the new events of errors that turned out to be the same fault:";
    notes.push({ text, errorIds: joinedErrorIds });
  }
  if (joinedToErrorId !== "") {
    const text = "This error turned out to be the same fault as another one, which takes its new events:";
    notes.push({ text, errorIds: [joinedToErrorId] });
  }
  return notes;
}

function limitNotes(error: TrackedError, zone: string): string[] {
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
