import { fail } from "@sveltejs/kit";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { refusedOrDown } from "#lib/server/refused-action.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, url, locals: { api } }) => {
  const { project } = await parent();
  const { projectId } = project;
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [deletions, discards] = await Promise.all([
    refusedInPlace(api.deletions.listDeletions({ projectId, pageToken })),
    refusedInPlace(api.deletions.listDiscards({ projectId, pageSize: 100 })),
  ]);
  return {
    deletions: deletions.answer?.deletions ?? null,
    nextPageToken: deletions.answer?.nextPageToken ?? "",
    discards: discards.answer?.discards ?? [],
    refusal: deletions.refusal,
  };
};

export const actions: Actions = {
  undo: async ({ request, locals: { api }, params }) => {
    const deletionId = Number((await request.formData()).get("id"));
    try {
      const { project } = await api.projects.getProject({ path: params.project });
      const { deletion } = await api.deletions.undoDeletion({ projectId: project?.projectId ?? 0, deletionId });
      return { act: "undo" as const, deletion };
    } catch (error) {
      const { status, message } = refusedOrDown(error);
      return fail(status, { act: "refused" as const, message });
    }
  },
  record: async ({ request, locals: { api }, params }) => {
    const discardId = Number((await request.formData()).get("id"));
    try {
      const { project } = await api.projects.getProject({ path: params.project });
      const { discard } = await api.deletions.endDiscard({ projectId: project?.projectId ?? 0, discardId });
      return { act: "record" as const, title: discard?.title ?? "" };
    } catch (error) {
      const { status, message } = refusedOrDown(error);
      return fail(status, { act: "refused" as const, message });
    }
  },
};
