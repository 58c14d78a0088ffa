import { error as fail } from "@sveltejs/kit";
import { zoneOf } from "#lib/time/clock.svelte.ts";
import { errorNotes } from "#lib/server/error-notes.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ parent, params, locals }) => {
  const { project } = await parent();
  const readAt = Date.now();
  const asked = { projectId: project.projectId, errorId: params.id };
  const [{ answer, refusal }, tracked] = await Promise.all([
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
