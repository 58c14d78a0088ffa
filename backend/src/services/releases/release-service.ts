import type { Handlers } from "@faultline/plugin";
import { ReleaseService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";

/** Releases: each call goes to the backend of its project. */
export function releaseService(projects: ProjectDirectory): Handlers<typeof ReleaseService, CoreCall> {
  const served = ({ grant, caller, signal }: CoreCall) =>
    projects.backend(grant.project, { userId: caller.user.id, signal });
  return {
    async listReleases(request, call) {
      const [backend, carried] = await served(call);
      return backend.listReleases(request, carried);
    },
    async getSessionStats(request, call) {
      const [backend, carried] = await served(call);
      return backend.getSessionStats(request, carried);
    },
  };
}
