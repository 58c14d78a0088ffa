import { ServiceError, type BackendCall, type ErrorBackend, type ReadHeads } from "@faultline/plugin";
import { ErrorReason, Permission, type ExplainGroupingRequest } from "@faultline/proto";
import { hideSecrets } from "@faultline/sentry-event";
import type { CoreCall } from "../access/guard.ts";

/** `served` finds the backend of a call, and `read` returns the heads by which storing groups events, if not those that were sent. */
export function explainGrouping(
  served: (call: CoreCall) => Promise<readonly [ErrorBackend, BackendCall]>,
  read: ReadHeads | undefined,
) {
  return async (request: ExplainGroupingRequest, call: CoreCall) => {
    const [backend, carried] = await served(call);
    if (!backend.explainGrouping) {
      const { explainGrouping: capability } = backend.capabilities;
      throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, capability?.reason ?? "");
    }
    const seesSecrets = call.grant.permissions.has(Permission.ADMIN_ERROR_TRACKING);
    const show = seesSecrets ? (text: string) => text : hideSecrets<string>;
    return backend.explainGrouping(request, { ...carried, read, show });
  };
}
