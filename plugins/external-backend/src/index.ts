import { contractVersion, ServiceError, type ErrorBackend, type Plugin } from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";

const reason = "Reading from an external error-tracking system comes with a later version.";
const off = { allowed: false, reason };

/** The external backend. It refuses everything in words until it can read from the external system. */
export function externalBackend(): Plugin & { readonly backend: ErrorBackend } {
  const refuse = () => {
    throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, reason);
  };
  return {
    name: "external-backend",
    contract: contractVersion,
    backend: {
      kind: Backend.EXTERNAL,
      capabilities: {
        read: off,
        updateStatus: off,
        listEvents: off,
        affectedUsers: off,
        clientKeys: { allowed: false, reason: "Client keys belong to the integrated backend." },
        watch: off,
        releases: off,
        retentionDays: 0,
      },
      listErrors: refuse,
      getError: refuse,
      updateErrors: refuse,
      listEvents: refuse,
      getEvent: refuse,
      getErrorStats: refuse,
      watchErrors: refuse,
      listReleases: refuse,
      getSessionStats: refuse,
    },
  };
}
