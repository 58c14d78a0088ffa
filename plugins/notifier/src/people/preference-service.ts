import {
  type AdmittedCall,
  type Database,
  invalidField,
  pageSizeOf,
  pageToken,
  type ReadableProject,
  readPageToken,
  refuseMissingError,
  serve,
  type ServedService,
  startOfHour,
  timestamp,
  ServiceError,
} from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ErrorSubscriptionSchema,
  NotificationLevel,
  NotificationLevelSchema,
  NotificationPreferenceService,
  type ProjectNotificationLevelSchema,
  type NotificationPreferences,
  type NotificationPreferencesSchema,
  ErrorSubscription,
  NotificationSuppressionReason as Reason,
  type GetErrorSubscriptionResponseSchema,
  ErrorReason,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import { Kinds } from "../kinds.ts";
import type { InboxChanges } from "../inbox/inbox-changes.ts";
import { defaultLevel, quietHoursOf } from "./person.ts";
import { afterQuietHours, isTimeZone } from "./quiet-hours.ts";
import type { KindNumber, PersonRow, Tables } from "../tables.ts";

/** The number of errors that a person may watch or mute. */
const mostSubscriptions = 1_000;

/** An error and a person. */
interface PersonalError {
  readonly userId: number;
  readonly projectId: number;
  readonly errorId: string;
}

async function subscriptionOf(tables: Kysely<Tables>, asked: PersonalError): Promise<ErrorSubscription> {
  const row = await ofError(tables, asked).select("subscription").executeTakeFirst();
  return row?.subscription ?? ErrorSubscription.UNSPECIFIED;
}

/** Stores whether a person watches or mutes an error. */
async function subscribe(
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

/** The number of changes of each kind in an answer. */
const shown = 20;

type Response = Exclude<MessageInitShape<typeof GetErrorSubscriptionResponseSchema>, { $typeName: string }>;

/** Lists which changes of an error a person got, and which not. */
async function explained(
  tables: Kysely<Tables>,
  of: PersonalError,
  { subscription, kinds }: { subscription: ErrorSubscription; kinds: Kinds },
): Promise<Pick<Response, "notifications" | "suppressions">> {
  const entries = await entriesOf(tables, of);
  const all = await suppressionsOf(tables, of);
  // People who watch an error get its changes whatever its level.
  const isWatched = subscription === ErrorSubscription.WATCHED;
  const suppressed = isWatched ? all.filter(({ reason }) => reason !== Reason.LOW_LEVEL) : all;
  const isKnown = ({ notification_trigger: trigger, done_at: at }: Decided) =>
    entries.some((entry) => entry.notification_trigger === trigger && entry.created_at === at) ||
    suppressed.some((row) => row.notification_trigger === trigger && row.hour_at === startOfHour(at));
  const decided = (await decidedSignals(tables, of, kinds)).filter((signal) => !isKnown(signal));
  const gathered = await gatheringsOf(tables, of, decided);
  const notifications = [...entries, ...gathered].toSorted(
    (one, other) => other.happened_at - one.happened_at || other.id - one.id,
  );
  return {
    notifications: notifications.slice(0, shown).map((one) => ({
      ...kinds.named(one.notification_trigger),
      headline: kinds.headlineOf(one.notification_trigger),
      time: timestamp(one.happened_at),
      entryId: BigInt(one.id),
      arrivedTime: timestamp(one.due_at),
    })),
    suppressions: suppressed.map(({ notification_trigger: number, reason, hour_at: hourAt, n: count }) => ({
      ...kinds.named(number),
      headline: kinds.headlineOf(number),
      reason,
      hourTime: timestamp(hourAt),
      count,
    })),
  };
}

interface Decided {
  readonly notification_trigger: KindNumber;
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

/** The latest decided changes of the error, which are kept for seven days. */
async function decidedSignals(
  tables: Kysely<Tables>,
  { projectId, errorId }: PersonalError,
  kinds: Kinds,
): Promise<Decided[]> {
  const rows = await tables
    .selectFrom("notifier_signal")
    .select(["notification_trigger", "done_at", "happened_at"])
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .where("notification_trigger", "in", [...kinds.personal])
    .orderBy("id", "desc")
    .limit(shown)
    .execute();
  return rows.flatMap(({ done_at, ...signal }) => (done_at === null ? [] : [{ ...signal, done_at }]));
}

/**
 * The entries that gather some of these changes. Such an entry names no error, so that a storm costs one row; it is
 * found by the time when a change was decided. Each entry is listed once, however many changes of the error it gathers,
 * with the time of the latest change.
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

const minutesOfDay = 1_440;
const longestZone = 64;

/** The columns of given preferences. Refuses the first invalid field with INVALID_FIELD. */
function checkedPreferences(given: NotificationPreferences | undefined): Omit<PersonRow, "user_id"> {
  if (!given) throw invalidField("preferences", "Send the preferences.");
  const timeZone = given.timeZone === "" ? "UTC" : given.timeZone;
  if (timeZone.length > longestZone || !isTimeZone(timeZone)) {
    throw invalidField("preferences.time_zone", "This time zone does not exist. Enter a name such as Europe/Berlin.");
  }
  const { quietHours } = given;
  if (quietHours) {
    const { fromMinute, untilMinute } = quietHours;
    if (fromMinute >= minutesOfDay || untilMinute >= minutesOfDay) {
      throw invalidField("preferences.quiet_hours", "Quiet hours begin and end between 00:00 and 23:59.");
    }
    if (fromMinute === untilMinute) {
      throw invalidField("preferences.quiet_hours", "Quiet hours must begin and end at different times.");
    }
  }
  return {
    wants_mail: given.mail ? 1 : 0,
    time_zone: timeZone,
    quiet_from: quietHours?.fromMinute ?? null,
    quiet_until: quietHours?.untilMinute ?? null,
  };
}

/** Returns the defaults if there is no row. */
function preferencesToProto(
  row: Omit<PersonRow, "user_id"> | undefined,
): MessageInitShape<typeof NotificationPreferencesSchema> {
  if (!row) return { mail: true, timeZone: "UTC" };
  const { wants_mail, time_zone, quiet_from, quiet_until } = row;
  const quietHours =
    quiet_from === null || quiet_until === null ? undefined : { fromMinute: quiet_from, untilMinute: quiet_until };
  return { mail: wants_mail === 1, timeZone: time_zone, ...(quietHours && { quietHours }) };
}

/** The notification preferences of people, each for themselves. */
export const preferenceService = (changes: InboxChanges): ServedService =>
  serve(NotificationPreferenceService, (host) => ({
    async getNotificationPreferences(_, { caller }) {
      const row = await host.database
        .read<Tables>()
        .selectFrom("notifier_person")
        .selectAll()
        .where("user_id", "=", caller.user.id)
        .executeTakeFirst();
      return { preferences: preferencesToProto(row) };
    },

    async updateNotificationPreferences({ preferences }, { caller }) {
      const row = { user_id: caller.user.id, ...checkedPreferences(preferences) };
      await storePreferences(host.database, row, host.clock.now());
      changes.changed([row.user_id]);
      return { preferences: preferencesToProto(row) };
    },

    async listNotificationLevels({ pageSize, pageToken: token }, { caller }) {
      const userId = caller.user.id;
      const list = `notification levels ${userId}`;
      const place = readPageToken(list, token, ["string"]);
      const size = pageSizeOf({ pageSize });
      const projects = (await host.readers.memberships(userId)).filter(({ path }) => !place || path > place[0]);
      const page = projects.slice(0, size);
      const levels = await levelsOf(host.database.read<Tables>(), userId);
      const last = page.at(-1);
      return {
        levels: page.map((project) => levelToProto(project, levels.get(project.projectId))),
        nextPageToken: projects.length > size && last ? pageToken(list, [last.path]) : "",
      };
    },

    async updateNotificationLevel({ level }, call) {
      if (!NotificationLevelSchema.value[level]) throw invalidField("level", "This level does not exist.");
      const key = { user_id: call.caller.user.id, project_id: call.grant.project.id };
      const write = host.database.write<Tables>();
      if (level === NotificationLevel.UNSPECIFIED) {
        await write
          .deleteFrom("notifier_level")
          .where("user_id", "=", key.user_id)
          .where("project_id", "=", key.project_id)
          .execute();
      } else {
        await write
          .insertInto("notifier_level")
          .values({ ...key, level })
          .onConflict((conflict) => conflict.columns(["user_id", "project_id"]).doUpdateSet({ level }))
          .execute();
      }
      return { level: levelToProto(projectOf(call), level === NotificationLevel.UNSPECIFIED ? undefined : level) };
    },

    async getErrorSubscription({ errorId }, call) {
      const asked = { userId: call.caller.user.id, projectId: call.grant.project.id, errorId };
      await refuseMissingError(host, asked, call.signal);
      const read = host.database.read<Tables>();
      const [subscription, levels] = await Promise.all([
        subscriptionOf(read, asked),
        levelsOf(read, asked.userId, asked.projectId),
      ]);
      return {
        subscription,
        level: levelToProto(projectOf(call), levels.get(asked.projectId)),
        ...(await explained(read, asked, { subscription, kinds: new Kinds(host) })),
      };
    },

    async updateErrorSubscription({ errorId, subscription }, { caller, grant, signal }) {
      if (!ErrorSubscriptionSchema.value[subscription])
        throw invalidField("subscription", "This choice does not exist.");
      const projectId = grant.project.id;
      await refuseMissingError(host, { projectId, errorId }, signal);
      await subscribe(host.database, { userId: caller.user.id, projectId, errorId }, subscription);
      return { subscription };
    },
  }));

/** Stores preferences. Entries that the old quiet hours hold back follow the new quiet hours. */
async function storePreferences(database: Database, row: PersonRow, now: number): Promise<void> {
  const { user_id, ...columns } = row;
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .insertInto("notifier_person")
        .values(row)
        .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
        .execute();
      await transaction
        .updateTable("notifier_inbox")
        .set({ due_at: afterQuietHours(quietHoursOf(row), now) })
        .where("user_id", "=", user_id)
        .where("due_at", ">", now)
        .execute();
    });
}

/** The levels that a person set, by project. */
async function levelsOf(
  tables: Kysely<Tables>,
  userId: number,
  projectId?: number,
): Promise<ReadonlyMap<number, NotificationLevel>> {
  let query = tables.selectFrom("notifier_level").selectAll().where("user_id", "=", userId);
  if (projectId !== undefined) query = query.where("project_id", "=", projectId);
  const rows = await query.execute();
  return new Map(rows.map((row) => [row.project_id, row.level]));
}

const levelToProto = (
  { projectId, path, permissions }: ReadableProject,
  level: NotificationLevel | undefined,
): MessageInitShape<typeof ProjectNotificationLevelSchema> => ({
  projectId,
  projectPath: path,
  level: level ?? defaultLevel(permissions),
  isDefault: level === undefined,
});

const projectOf = ({ grant: { project, permissions } }: AdmittedCall): ReadableProject => ({
  projectId: project.id,
  path: project.path,
  permissions,
});
