import { ServiceError, type ErrorBackend, type Handlers } from "@faultline/plugin";
import { ErrorReason, Permission, type ErrorService } from "@faultline/proto";
import type { Grants } from "../access/grants.ts";
import type { CoreCall } from "../access/guard.ts";

/**
 * Finds the project of an error that is stored here. An error that the caller may not read looks like a missing one.
 */
export function errorProject(parts: {
  backends: readonly ErrorBackend[];
  grants: Grants;
}): Handlers<typeof ErrorService, CoreCall>["getErrorProject"] {
  return async ({ errorId }, { caller }) => {
    for (const backend of parts.backends) {
      const projectId = (await backend.errorProject?.(errorId)) ?? 0;
      // Queried for a missing error too: otherwise the time of a refusal would distinguish it from a hidden one.
      const grant = await parts.grants.of(caller.user, projectId).catch(unlessHidden);
      if (grant?.permissions.has(Permission.READ_ERROR_TRACKING)) return { projectId };
    }
    throw new ServiceError(
      ErrorReason.ERROR_NOT_FOUND,
      "This error does not exist, or you do not have access to its project.",
    );
  };
}

function unlessHidden(refusal: unknown): undefined {
  if (refusal instanceof ServiceError && refusal.reason === ErrorReason.PROJECT_NOT_FOUND) return undefined;
  throw refusal;
}
