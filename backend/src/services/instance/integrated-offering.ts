import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

// The integrated backend is limited to the hosted offering (specification 1.4). This file has all texts about the
// limit.

/** The reason why the integrated backend cannot be chosen. */
export const integratedNotOffered = "The integrated backend is offered on the hosted offering only.";

/** The reason why a project created under another offering has no DSN here and accepts no events. */
export const noEventsTaken =
  "The integrated backend is offered on the hosted offering only, so this installation accepts no events and shows no DSN.";

export function integratedRefused(): ServiceError {
  return notOffered(`${integratedNotOffered} Choose the external backend.`, "backend");
}

/** `field` is the request field that names the project; empty if the call itself is about the project. */
export function eventsRefused(field = ""): ServiceError {
  return notOffered(noEventsTaken, field);
}

function notOffered(message: string, field: string): ServiceError {
  return new ServiceError(ErrorReason.INTEGRATED_NOT_OFFERED, message, { field });
}
