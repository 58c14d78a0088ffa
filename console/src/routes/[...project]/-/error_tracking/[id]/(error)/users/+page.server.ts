import { languages } from "../../../get_started/snippets.ts";
import { oldestTime } from "#lib/time/oldest-time.ts";
import { refusedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, params, locals }) => {
  const { project, error, staleSinceTime } = await parent();
  const { answer, refusal } = await refusedInPlace(
    locals.api.errors.getErrorBreakdown({ projectId: project.projectId, errorId: params.id }),
  );
  return {
    breakdown: answer,
    identify: identifyIn(error?.platform ?? ""),
    notShown: refusal,
    failure: await shownFailure(locals.api, project, refusal),
    staleSinceTime: oldestTime(staleSinceTime, answer?.staleSinceTime),
  };
};

/** The line by which a program of the platform identifies its users. Browsers and Node.js have the same. */
function identifyIn(platform: string): string {
  const language = languages.find(({ key }) => key === platform);
  return (language ?? languages.find(({ key }) => key === "node"))?.identify ?? "";
}
