import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { settingsNeed } from "#lib/server/settings-need.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, locals, url }) => {
  const { project } = await parent();
  settingsNeed(project, project.capabilities?.adminErrorTracking);
  if (!url.searchParams.has("compare")) return { preview: null, refusal: null };
  const { answer, refusal } = await refusedInPlace(
    locals.api.errors.previewRegrouping({ projectId: project.projectId }),
  );
  return { preview: answer, refusal };
};
