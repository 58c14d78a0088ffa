import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { actionOrDown } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, url, locals: { api } }) => {
  const { project } = await parent();
  const pageToken = url.searchParams.get("cursor") ?? "";
  const release = url.searchParams.get("release") ?? "";
  const { projectId } = project;
  const [{ answer, refusal }, coverage] = await Promise.all([
    refusedInPlace(api.sourceMaps.listArtifactBundles({ projectId, pageToken })),
    refusedInPlace(api.sourceMaps.getSourceCoverage({ projectId, release })),
  ]);
  return {
    origin: url.origin,
    bundles: answer?.artifactBundles ?? null,
    nextPageToken: answer?.nextPageToken ?? "",
    refusal,
    release,
    coverage: coverage.answer ?? null,
  };
};

export const actions: Actions = {
  delete: async ({ request, locals: { api }, params }) => {
    const bundleId = Number((await request.formData()).get("id"));
    return actionOrDown(
      async () => {
        await api.sourceMaps.deleteArtifactBundle({ projectPath: params.project, bundleId });
        return { act: "delete" as const };
      },
      { act: "refused" as const },
    );
  },
};
