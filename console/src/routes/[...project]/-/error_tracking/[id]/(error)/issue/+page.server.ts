import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { actionOrDown } from "#lib/server/action.ts";
import type { Actions } from "./$types";

export const actions: Actions = {
  create: async ({ request, locals: { api }, params }) => {
    const form = await request.formData();
    const trackerId = Number(form.get("tracker_id"));
    return actionOrDown(async () => {
      const of = { projectPath: params.project, errorId: params.id };
      await api.trackerIssues.createTrackerIssue({ ...of, trackerId, confidential: form.has("confidential") });
      redirect(303, route.errorDetails(params.project, params.id));
    });
  },
  link: async ({ request, locals: { api }, params }) => {
    const url = String((await request.formData()).get("url") ?? "");
    return actionOrDown(
      async () => {
        await api.trackerIssues.linkTrackerIssue({ projectPath: params.project, errorId: params.id, url });
        redirect(303, route.errorDetails(params.project, params.id));
      },
      { act: "link" as const, url },
    );
  },
  unlink: async ({ locals: { api }, params }) =>
    actionOrDown(async () => {
      await api.trackerIssues.unlinkTrackerIssue({ projectPath: params.project, errorId: params.id });
      redirect(303, route.errorDetails(params.project, params.id));
    }),
};
