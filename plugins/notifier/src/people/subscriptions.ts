import { ServiceError, type Database } from "@faultline/plugin";
import { ErrorReason, ErrorSubscription } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The errors that a person may watch or mute. */
const mostSubscriptions = 1_000;

/** An error, for a person. */
export interface PersonalError {
  readonly userId: number;
  readonly projectId: number;
  readonly errorId: string;
}

export async function subscriptionOf(tables: Kysely<Tables>, asked: PersonalError): Promise<ErrorSubscription> {
  const row = await ofError(tables, asked).select("subscription").executeTakeFirst();
  return row?.subscription ?? ErrorSubscription.UNSPECIFIED;
}

/** Stores what a person wants to learn of an error. */
export async function subscribe(
  database: Database,
  { userId, projectId, errorId }: PersonalError,
  subscription: ErrorSubscription,
): Promise<void> {
  const row = { user_id: userId, project_id: projectId, error_id: errorId };
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .deleteFrom("notifier_subscription")
        .where("user_id", "=", userId)
        .where("project_id", "=", projectId)
        .where("error_id", "=", errorId)
        .execute();
      if (subscription === ErrorSubscription.UNSPECIFIED) return;
      const { count } = await transaction
        .selectFrom("notifier_subscription")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= mostSubscriptions) throw tooMany();
      await transaction
        .insertInto("notifier_subscription")
        .values({ ...row, subscription })
        .onConflict((conflict) => conflict.columns(["user_id", "project_id", "error_id"]).doUpdateSet({ subscription }))
        .execute();
    });
}

const ofError = (tables: Kysely<Tables>, { userId, projectId, errorId }: PersonalError) =>
  tables
    .selectFrom("notifier_subscription")
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId);

const tooMany = () =>
  new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `You can watch or mute at most ${mostSubscriptions} errors. Stop watching or muting some of them first.`,
  );
