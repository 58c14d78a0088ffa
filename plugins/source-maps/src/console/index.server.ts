import type { ServerPart } from "@faultline/console/plugin.server";
import { actionOrDown } from "@faultline/console/server/action.ts";
import { refusedInPlace } from "@faultline/console/server/refused-in-place.ts";

export default {
  plugin: "source-maps",
  projectPages: {
    source_maps: {
      async load({ api, project: { projectId }, url }) {
        const pageToken = url.searchParams.get("cursor") ?? "";
        const release = url.searchParams.get("release") ?? "";
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
      },
      actions: {
        delete: async ({ api, projectPath, form }) =>
          actionOrDown(
            async () => {
              await api.sourceMaps.deleteArtifactBundle({ projectPath, bundleId: Number(form.get("id")) });
              return { act: "delete" as const };
            },
            { act: "refused" as const },
          ),
      },
    },
  },
} satisfies ServerPart;
