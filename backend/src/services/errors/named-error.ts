import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { onlyError, ServiceError, type BackendCall, type ErrorBackend } from "@faultline/plugin";
import {
  ErrorReason,
  GetErrorRequestSchema,
  type ListErrorsRequest,
  type ListErrorsResponseSchema,
} from "@faultline/proto";

/** The error of a search that names it, as a list; undefined: the project has no such error. */
export async function namedError(
  backend: ErrorBackend,
  { projectId }: ListErrorsRequest,
  { errorId, call }: { errorId: string; call: BackendCall },
): Promise<MessageInitShape<typeof ListErrorsResponseSchema> | undefined> {
  try {
    const request = create(GetErrorRequestSchema, { projectId, errorId });
    const { error, staleSinceTime } = await backend.getError(request, call);
    return error && { ...onlyError(error), staleSinceTime, searchedErrorId: errorId };
  } catch (refusal) {
    if (refusal instanceof ServiceError && refusal.reason === ErrorReason.ERROR_NOT_FOUND) return undefined;
    throw refusal;
  }
}
