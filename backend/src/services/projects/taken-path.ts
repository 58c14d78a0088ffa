import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";

/** Turns the database's refusal of a second project with the same path into ours. */
export function refuseTakenPath(error: unknown, path: string, whatToDo = "Choose another path."): never {
  if (!(error instanceof UniqueConstraintViolationException)) throw error;
  throw new ServiceError(ErrorReason.PROJECT_PATH_TAKEN, `Another project has the path ${path}. ${whatToDo}`, {
    field: "path",
    cause: error,
  });
}
