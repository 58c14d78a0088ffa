import type { Handlers } from "@faultline/plugin";
import { ErrorService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";

/** Errors: each call goes to the backend of its project. */
export function errorService(projects: ProjectDirectory): Handlers<typeof ErrorService, CoreCall> {
  return {
    listErrors: async (request, call) => (await projects.backend(call.grant.project)).listErrors(request, call),
    getError: async (request, call) => (await projects.backend(call.grant.project)).getError(request, call),
    updateErrors: async (request, call) => (await projects.backend(call.grant.project)).updateErrors(request, call),
    listEvents: async (request, call) => (await projects.backend(call.grant.project)).listEvents(request, call),
    getEvent: async (request, call) => (await projects.backend(call.grant.project)).getEvent(request, call),
    getErrorStats: async (request, call) => (await projects.backend(call.grant.project)).getErrorStats(request, call),
    async *watchErrors(request, call) {
      yield* (await projects.backend(call.grant.project)).watchErrors(request, call);
    },
  };
}
