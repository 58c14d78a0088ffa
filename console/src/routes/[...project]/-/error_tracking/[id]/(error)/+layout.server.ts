import { error as fail } from "@sveltejs/kit";
import { zoneOf } from "#lib/time/clock.svelte.ts";
import { errorNotes } from "#lib/server/error-notes.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { LayoutServerLoad } from "./$types";

// Here and on the pages below, calls name the project by its path, so that all of them begin together with the project's own.
export const load: LayoutServerLoad = async ({ parent, params, locals }) => {
  const readAt = Date.now();
  const asked = { projectPath: params.project, errorId: params.id };
  const [{ project }, { answer, refusal }, tracked] = await Promise.all([
    parent(),
    failedInPlace(locals.api.errors.getError(asked)),
    failedInPlace(locals.api.trackerIssues.getTrackerIssue(asked)),
  ]);
  if (answer !== null && answer.error === undefined) fail(404, "Page not found.");
  return {
    readAt,
    error: answer?.error ?? null,
    issue: tracked.answer?.issue,
    trackers: tracked.answer?.trackers ?? [],
    statusChangedRelease: answer?.statusChangedRelease ?? "",
    notes: errorNotes(answer?.error, zoneOf(locals.preferences)),
    staleSinceTime: answer?.staleSinceTime,
    refusal,
    failure: await shownFailure(locals.api, project, refusal),
  };
};
