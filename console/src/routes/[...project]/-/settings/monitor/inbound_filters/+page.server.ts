import { error } from "@sveltejs/kit";
import { action } from "#lib/server/action.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { settingsNeed } from "#lib/server/settings-need.ts";
import type { Actions, PageServerLoad } from "./$types";
import { changesOf, readFilterForm } from "./filter-form.ts";

export const load: PageServerLoad = async ({ parent, locals }) => {
  const { project } = await parent();
  settingsNeed(project, project.capabilities?.adminErrorTracking);
  const { projectId } = project;
  const [{ filters, spikeBudget }, { answer }] = await Promise.all([
    locals.api.filters.getFilters({ projectId }),
    refusedInPlace(locals.api.outcomes.listOutcomes({ projectId, hourCount: 24 })),
  ]);
  if (!filters || !spikeBudget) error(500, "The filters could not be loaded.");
  const stopped = answer?.outcomes.filter(({ kind }) => kind === "OUTCOME_KIND_FILTERED") ?? [];
  return {
    filters,
    spikeBudget,
    /** The events filtered within a day, by reason. Null if the person may not read them. */
    stopped: answer && Object.fromEntries(stopped.map(({ reason, quantity }) => [reason, Number(quantity)])),
  };
};

export const actions: Actions = {
  save: async ({ request, locals, params }) => {
    const form = await request.formData();
    const values = readFilterForm(form);
    const run = async () => {
      await locals.api.filters.updateFilters({
        projectPath: params.project,
        ...changesOf(values),
        revision: Number(form.get("revision")),
      });
      return { isSaved: true as const };
    };
    return action(run, ({ reason }) => {
      const isOutdated = reason === "SETTINGS_CHANGED"; // the typed values were meant for the earlier filters
      return { isSaved: false as const, isOutdated, values: isOutdated ? null : values };
    });
  },
};
