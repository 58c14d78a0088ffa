import type { MessageInitShape } from "@bufbuild/protobuf";
import { onlyError } from "@faultline/plugin";
import type { ListErrorsRequest, ListErrorsResponseSchema } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { withSettledLastSeen } from "./errors.ts";
import { errorToProto } from "./to-proto.ts";

/** The error of an event whose id is the whole search; undefined: there is no such event in the project. */
export async function searchedEvent(
  storage: Storage,
  { projectId, query }: ListErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema> | undefined> {
  const eventId = query.trim().replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(eventId)) return undefined;
  const row = await withSettledLastSeen(storage.dialect, storage.read, now)
    .where("project_id", "=", projectId)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("integrated_event as event")
        .select("event.error_id")
        .where("event.project_id", "=", projectId)
        .where("event.event_id", "=", Buffer.from(eventId, "hex")),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  return { ...onlyError(errorToProto(row)), event: { eventId, errorId: String(row.id) } };
}
