import type { Handlers } from "@faultline/plugin";
import { ReleaseService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";

/** Releases: each call goes to the backend of its project. */
export function releaseService(projects: ProjectDirectory): Handlers<typeof ReleaseService, CoreCall> {
  return {
    listReleases: async (request, call) => (await projects.backend(call.grant.project)).listReleases(request, call),
    getSessionStats: async (request, call) =>
      (await projects.backend(call.grant.project)).getSessionStats(request, call),
  };
}
