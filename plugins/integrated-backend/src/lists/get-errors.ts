import { errorRowId } from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetErrorsRequest, GetErrorsResponseSchema } from "@faultline/proto";
import { matching } from "../search/plan.ts";
import type { Storage } from "../storage.ts";
import { withSettledLastSeen } from "./errors.ts";
import { errorToProto } from "./to-proto.ts";

/** Reads the errors that are named and match, in the order of their ids. */
export async function getErrors(
  storage: Storage,
  { projectId, errorIds, query }: GetErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof GetErrorsResponseSchema>> {
  const ids = errorIds.map(errorRowId);
  let errors = withSettledLastSeen(storage.dialect, storage.read, now)
    .where("project_id", "=", projectId)
    .where("id", "in", ids);
  if (query !== "") {
    const found = await matching(storage, { projectId, query, now });
    errors = errors.where("id", "in", found.where("id", "in", ids).select("id"));
  }
  const rows = await errors.orderBy("id").execute();
  return { errors: rows.map((row) => errorToProto(row)) };
}
