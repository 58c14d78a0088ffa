import { startOfHour, timestamp } from "@faultline/plugin";
import {
  ErrorSubscription,
  NotificationSuppressionReason as Reason,
  NotificationTrigger,
  type GetErrorSubscriptionResponseSchema,
} from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { personalTriggers } from "./notify-people.ts";
import type { PersonalError } from "./subscriptions.ts";

/** Changes of each kind that an answer holds. */
const shown = 20;

type Response = Exclude<MessageInitShape<typeof GetErrorSubscriptionResponseSchema>, { $typeName: string }>;

/** What a person got of the changes of an error, and what not. */
export async function explained(
  tables: Kysely<Tables>,
  of: PersonalError,
  subscription: ErrorSubscription,
): Promise<Pick<Response, "notifications" | "suppressions">> {
  const entries = await entriesOf(tables, of);
  const all = await suppressionsOf(tables, of);
  // Those who watch an error get it whatever its level.
  const isWatched = subscription === ErrorSubscription.WATCHED;
  const suppressed = isWatched ? all.filter(({ reason }) => reason !== Reason.LOW_LEVEL) : all;
  const isKnown = ({ notification_trigger: trigger, done_at: at }: Decided) =>
    entries.some((entry) => entry.notification_trigger === trigger && entry.created_at === at) ||
    suppressed.some((row) => row.notification_trigger === trigger && row.hour_at === startOfHour(at));
  const decided = (await decidedSignals(tables, of)).filter((signal) => !isKnown(signal));
  const gathered = await gatheringsOf(tables, of, decided);
  const notifications = [...entries, ...gathered].toSorted(
    (one, other) => other.happened_at - one.happened_at || other.id - one.id,
  );
  return {
    notifications: notifications.slice(0, shown).map((one) => ({
      trigger: one.notification_trigger,
      time: timestamp(one.happened_at),
      entryId: BigInt(one.id),
      arrivedTime: timestamp(one.due_at),
    })),
    suppressions: suppressed.map(({ notification_trigger: trigger, reason, hour_at: hourAt, n: count }) => ({
      trigger,
      reason,
      hourTime: timestamp(hourAt),
      count,
    })),
  };
}

interface Decided {
  readonly notification_trigger: NotificationTrigger;
  readonly done_at: number;
  readonly happened_at: number;
}

const entriesOf = (tables: Kysely<Tables>, { userId, projectId, errorId }: PersonalError) =>
  tables
    .selectFrom("notifier_inbox")
    .select(["id", "notification_trigger", "happened_at", "created_at", "due_at"])
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .orderBy("id", "desc")
    .limit(shown)
    .execute();

const suppressionsOf = (tables: Kysely<Tables>, { userId, projectId, errorId }: PersonalError) =>
  tables
    .selectFrom("notifier_person_suppression")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .where("user_id", "in", [0, userId])
    .orderBy("hour_at", "desc")
    .limit(shown)
    .execute();

/** The latest changes of the error that were decided; they are kept for seven days. */
async function decidedSignals(tables: Kysely<Tables>, { projectId, errorId }: PersonalError): Promise<Decided[]> {
  const rows = await tables
    .selectFrom("notifier_signal")
    .select(["notification_trigger", "done_at", "happened_at"])
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .where("notification_trigger", "in", [...personalTriggers])
    .orderBy("id", "desc")
    .limit(shown)
    .execute();
  return rows.flatMap(({ done_at, ...signal }) => (done_at === null ? [] : [{ ...signal, done_at }]));
}

/**
 * The entries that gather some of these changes. Such an entry names no error, so that a storm costs a row: the time when a change was
 * decided names the entry. Each is there once, however many changes of the error it gathers, with the time of the latest of them.
 */
async function gatheringsOf(tables: Kysely<Tables>, { userId, projectId }: PersonalError, signals: readonly Decided[]) {
  const entries = await tables
    .selectFrom("notifier_inbox")
    .select(["id", "notification_trigger", "created_at", "changed_at", "due_at"])
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .where("error_id", "=", "")
    .execute();
  return entries.flatMap((entry) => {
    const within = signals.filter(({ done_at: at }) => entry.created_at <= at && at <= entry.changed_at);
    if (within.length === 0) return [];
    return [{ ...entry, happened_at: Math.max(...within.map(({ happened_at: at }) => at)) }];
  });
}
