import { pageOfRows, pageSizeOf, pageToken, readPageToken, serve, ServiceError } from "@faultline/plugin";
import { ErrorReason, SourceMapService } from "@faultline/proto";
import { readCoverage } from "./events/read-coverage.ts";
import type { Tables } from "./tables.ts";
import { assemble, selectBundles, putChunk } from "./uploads/assemble.ts";
import { type BundleChanges, bundleToProto } from "./uploads/bundle-changes.ts";
import { uploadLimits } from "./uploads/limits.ts";

/** Uploads of source maps. */
export const sourceMapService = (changes: BundleChanges) =>
  serve(SourceMapService, (host) => ({
    getUploadLimits() {
      const { chunkBytes, bundleBytes } = uploadLimits;
      return Promise.resolve({ chunkBytes, bundleBytes: BigInt(bundleBytes) });
    },

    async putChunk(request, { caller }) {
      host.admitStoring(request.content.length);
      await putChunk(host, caller.user.id, request);
      return {};
    },

    async assembleArtifactBundle(request, call) {
      host.admitStoring(0, call.grant.project.id); // what it adds is known, and admitted, when it is stored
      return assemble({ host, changes }, request, call);
    },

    async listArtifactBundles(request, { grant }) {
      const { release } = request;
      const list = `artifact bundles ${grant.project.id} ${release}`;
      const [before] = readPageToken(list, request.pageToken, ["number"]) ?? [];
      const size = pageSizeOf(request);
      let query = selectBundles(host.database.read<Tables>()).where("bundle.project_id", "=", grant.project.id);
      if (release !== "") query = query.where("bundle.release", "=", release);
      if (before !== undefined) query = query.where("bundle.id", "<", before);
      const rows = await query
        .orderBy("bundle.id", "desc")
        .limit(size + 1)
        .execute();
      const { page, nextPageToken } = pageOfRows(rows, size, (last) => pageToken(list, [Number(last.id)]));
      return {
        artifactBundles: page.map(bundleToProto),
        nextPageToken,
      };
    },

    getSourceCoverage({ release }, { grant, signal }) {
      return readCoverage(host, { projectId: grant.project.id, release }, signal);
    },

    async deleteArtifactBundle({ bundleId }, { grant }) {
      const bundle = await selectBundles(host.database.read<Tables>())
        .where("bundle.id", "=", bundleId)
        .where("bundle.project_id", "=", grant.project.id)
        .executeTakeFirst();
      if (!bundle) {
        throw new ServiceError(
          ErrorReason.ARTIFACT_BUNDLE_NOT_FOUND,
          "This upload does not exist in this project. It may have been deleted.",
        );
      }
      await host.database.write<Tables>().deleteFrom("source_bundle").where("id", "=", bundleId).execute();
      changes.changed(bundle);
      return { artifactBundle: bundleToProto(bundle) };
    },
  }));
