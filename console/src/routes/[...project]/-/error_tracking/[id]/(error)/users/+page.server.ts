import { languages } from "../../../get_started/snippets.ts";
import { oldestTime } from "#lib/time/last-seen.ts";
import { refusedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, params, locals }) => {
  const asked = { projectPath: params.project, errorId: params.id };
  const [{ project, error, staleSinceTime }, { answer, refusal }] = await Promise.all([
    parent(),
    refusedInPlace(locals.api.errors.getErrorBreakdown(asked)),
  ]);
  return {
    breakdown: answer,
    identify: identifyIn(error?.platform ?? ""),
    notShown: refusal,
    failure: await shownFailure(locals.api, project, refusal),
    staleSinceTime: oldestTime(staleSinceTime, answer?.staleSinceTime),
  };
};

/** How a program of the platform identifies its users; empty if the snippets do not include the platform. */
function identifyIn(platform: string): string {
  const key = platform === "javascript" ? "node" : platform; // browsers and Node.js use the same call
  return languages.find((language) => language.key === key)?.identify ?? "";
}
