import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

// The integrated backend is limited to the hosted offering (specification 1.4). What everybody is told of it stands here.

/** Why the integrated backend cannot be chosen. */
export const integratedNotOffered = "The integrated backend is offered on the hosted offering only.";

/** Why a project that was made under another offering has no DSN here, and takes no events. */
export const noEventsTaken =
  "The integrated backend is offered on the hosted offering only, so this installation takes no events and shows no DSN.";

export function integratedRefused(): ServiceError {
  return notOffered(`${integratedNotOffered} Choose the external backend.`, "backend");
}

/** `field` is the request field that names the project; none where the project is what the call is about. */
export function eventsRefused(field = ""): ServiceError {
  return notOffered(noEventsTaken, field);
}

function notOffered(message: string, field: string): ServiceError {
  return new ServiceError(ErrorReason.INTEGRATED_NOT_OFFERED, message, { field });
}
