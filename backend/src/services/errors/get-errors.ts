import { create } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type BackendCall, type ErrorBackend } from "@faultline/plugin";
import {
  GetErrorsResponseSchema,
  ErrorReason,
  GetErrorRequestSchema,
  type GetErrorsRequest,
  type GetErrorsResponse,
} from "@faultline/proto";

/** Reads errors by their ids, from a backend that cannot do so in one step one after the other. */
export async function getErrors(
  backend: ErrorBackend,
  request: GetErrorsRequest,
  call: BackendCall,
): Promise<GetErrorsResponse> {
  const { projectId, errorIds, query } = request;
  if (errorIds.length === 0 || errorIds.length > 100) throw invalidField("error_ids", "Name 1 to 100 errors.");
  if (backend.getErrors) return create(GetErrorsResponseSchema, await backend.getErrors(request, call));
  if (query !== "") {
    throw new ServiceError(
      ErrorReason.NOT_SUPPORTED_BY_BACKEND,
      "The external system cannot check individual errors against a search. Leave out the query.",
    );
  }
  const errors = [];
  for (const errorId of [...new Set(errorIds)].toSorted(byNumber)) {
    const asked = create(GetErrorRequestSchema, { projectId, errorId });
    const { error } = await backend.getError(asked, call).catch(unlessNotFound);
    if (error) errors.push(error);
  }
  return create(GetErrorsResponseSchema, { errors });
}

/** Ids are numbers, which can be larger than JavaScript's. */
const byNumber = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1);

function unlessNotFound(refusal: unknown): { error?: undefined } {
  if (refusal instanceof ServiceError && refusal.reason === ErrorReason.ERROR_NOT_FOUND) return {};
  throw refusal;
}
