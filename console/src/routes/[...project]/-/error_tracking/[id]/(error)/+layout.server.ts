import { error as fail } from "@sveltejs/kit";
import { zoneOf } from "#lib/time/clock.svelte.ts";
import { headerData } from "#lib/server/plugins/answers.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { LayoutServerLoad } from "./$types";
import type { TrackedError } from "#lib/messages.ts";
import { fullNumber } from "#lib/number-format.ts";
import { exactTime } from "#lib/time/time-format.ts";

// Calls here and on the pages below name the project by its path, so that all of them begin together with the project's
// own call.
export const load: LayoutServerLoad = async (request) => {
  const { parent, params, locals } = request;
  const readAt = Date.now();
  const asked = { projectPath: params.project, errorId: params.id };
  const [{ project }, { answer, refusal }, headers] = await Promise.all([
    parent(),
    failedInPlace(locals.api.errors.getError(asked)),
    headerData(request, asked),
  ]);
  if (answer !== null && answer.error === undefined) fail(404, "Page not found.");
  return {
    readAt,
    error: answer?.error ?? null,
    headers,
    statusChangedRelease: answer?.statusChangedRelease ?? "",
    notes: errorNotes(answer?.error, zoneOf(locals.preferences)),
    staleSinceTime: answer?.staleSinceTime,
    refusal,
    failure: await shownFailure(locals.api, project, refusal),
  };
};

/** A sentence about an error as a whole, with links to the errors it names. */
interface ErrorNote {
  readonly text: string;
  readonly errorIds: readonly string[];
}

/** Notes on an error: how grouping changed it, and which parts are too large to count or find. */
function errorNotes(error: TrackedError | undefined, zone: string): ErrorNote[] {
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
    const text = "This error also receives the new events of errors with the same cause:";
    notes.push({ text, errorIds: joinedErrorIds });
  }
  if (joinedToErrorId !== "") {
    const text = "This error has the same cause as another error, which receives its new events:";
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
      `${since || "More"} new errors arrived than the limit per minute or day allows, and their events are counted here. No event is lost: each keeps its title and stack trace in the list of events, which shows where they come from. If they are not from your application, replace its client key in the settings; if they are, give these events a fingerprint.`,
    );
  }
  if (otherUserCount > 0) {
    notes.push(
      `The first ${fullNumber(affectedUserCount)} users are counted. Events named up to ${fullNumber(otherUserCount)} more.`,
    );
  }
  if (otherTagCount > 0) {
    notes.push(
      `This error has too many tags to search them all: 200 tags and 1,000 values per tag are searchable. Up to ${fullNumber(otherTagCount)} more are shown only with their events. Send values that differ in each event, such as a request ID, as extra data.`,
    );
  }
  return notes;
}
