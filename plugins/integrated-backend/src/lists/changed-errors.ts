import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ChangedErrorsRequest } from "@faultline/plugin";
import type { ErrorSchema } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { withSettledLastSeen } from "./errors.ts";
import { errorToProto, type ErrorRow, firstTrendHour, hoursSince, trendOf } from "./to-proto.ts";

/** Errors are published by the hash of their group, as a batch stores them without reading their ids. */
export async function changedErrors(
  { read, dialect }: Storage,
  { projectId, keys, hourlyCounts }: ChangedErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof ErrorSchema>[]> {
  const groups = [...keys.keys()].map((hash) => Buffer.from(hash, "hex"));
  const changedBy = ({ group_hash, reopened_at }: ErrorRow) => ({
    statusChangedBy: reopened_at === null ? (keys.get(group_hash.toString("hex")) ?? "") : "", // else an event did it
  });
  const found = withSettledLastSeen(dialect, read, now)
    .where("project_id", "=", projectId)
    .where("group_hash", "in", groups);
  if (!hourlyCounts) return (await found.execute()).map((row) => ({ ...errorToProto(row), ...changedBy(row) }));
  const first = firstTrendHour(now);
  const rows = await found.select(hoursSince(dialect, first).as("hours")).execute();
  return rows.map((row) => ({ ...errorToProto(row, trendOf(row.hours, first)), ...changedBy(row) }));
}
