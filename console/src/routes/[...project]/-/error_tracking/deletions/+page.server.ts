import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { actionOrDown } from "#lib/server/action.ts";
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
    return actionOrDown(
      async () => {
        const { deletion } = await api.deletions.undoDeletion({ projectPath: params.project, deletionId });
        return { act: "undo" as const, deletion };
      },
      { act: "refused" as const },
    );
  },
  record: async ({ request, locals: { api }, params }) => {
    const discardId = Number((await request.formData()).get("id"));
    return actionOrDown(
      async () => {
        const { discard } = await api.deletions.endDiscard({ projectPath: params.project, discardId });
        return { act: "record" as const, title: discard?.title ?? "" };
      },
      { act: "refused" as const },
    );
  },
};
