import { error as fail } from "@sveltejs/kit";
import { zoneOf } from "#lib/time/clock.svelte.ts";
import { headerData } from "#lib/server/plugins/panel-data.ts";
import { errorNotes } from "#lib/server/error-notes.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { LayoutServerLoad } from "./$types";

// Here and on the pages below, calls name the project by its path, so that all of them begin together with the project's own.
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
