import { ServiceError, startOfHour } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";
import type { ErrorRow } from "./to-proto.ts";

/** Errors with the value their last-seen label follows: it holds still until the hour is over (specification 1.7). */
export function withSettledLastSeen(database: Kysely<Tables>, now: number) {
  const hour = startOfHour(now);
  return database
    .selectFrom("integrated_error")
    .selectAll()
    .select((builder) =>
      builder
        .case()
        .when("last_seen_at", "<", hour)
        .then(builder.ref("last_seen_at"))
        .else(
          builder
            .selectFrom("integrated_event")
            .select(({ fn }) => fn.max("occurred_at").as("newest"))
            .whereRef("integrated_event.error_id", "=", "integrated_error.id")
            .where("integrated_event.occurred_at", "<", hour),
        )
        .end()
        .$castTo<number | null>()
        .as("settled_last_seen_at"),
    );
}

/** One error; refuses with ERROR_NOT_FOUND, also when it belongs to another project. */
export async function getError(
  database: Kysely<Tables>,
  { projectId, errorId }: { projectId: number; errorId: string },
  now: number,
): Promise<ErrorRow> {
  const row = await withSettledLastSeen(database, now)
    .where("id", "=", errorRowId(errorId))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (!row) throw errorNotFound();
  return row;
}

/** The project of an error, by the error's id alone. */
export async function errorProject(database: Kysely<Tables>, errorId: string): Promise<number | undefined> {
  const row = await database
    .selectFrom("integrated_error")
    .select("project_id")
    .where("id", "=", errorRowId(errorId))
    .executeTakeFirst();
  return row?.project_id;
}

/** The row id an error id names; ids that cannot exist name row 0, which does not. */
export function errorRowId(errorId: string): number {
  return /^[1-9]\d{0,14}$/.test(errorId) ? Number(errorId) : 0;
}

export function errorNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.ERROR_NOT_FOUND,
    "There is no such error in this project. Errors are deleted 90 days after their last event.",
  );
}
