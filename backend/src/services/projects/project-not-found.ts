import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** The refusal for a project that is missing, or hidden from the caller. */
export function projectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.PROJECT_NOT_FOUND,
    "This project does not exist, or you do not have access to it.",
  );
}
