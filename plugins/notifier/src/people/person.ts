import type { Host, Reader } from "@faultline/plugin";
import { ErrorSubscription, NotificationLevel, Permission } from "@faultline/proto";
import { isTimeZone, type QuietHours } from "./quiet-hours.ts";
import type { PersonRow, Tables } from "../tables.ts";

/** A person who may be notified of the errors of a project. */
export interface Person {
  readonly userId: number;
  readonly username: string;
  readonly level: NotificationLevel;
  /** The person set no level. With a default of NONE, the person gets only notices that name the person. */
  readonly isDefaultLevel?: boolean;
  readonly wantsMail: boolean;
  /** Undefined if the person has no quiet hours. */
  readonly quietHours: QuietHours | undefined;
  /** The person's watched or muted errors, among the requested errors. */
  readonly subscriptions: ReadonlyMap<string, ErrorSubscription>;
}

/** The level of a person who set none. */
export const defaultLevel = (permissions: ReadonlySet<Permission>): NotificationLevel =>
  permissions.has(Permission.UPDATE_ERROR_TRACKING) ? NotificationLevel.NEW_AND_REOPENED : NotificationLevel.NONE;

/**
 * The people who may be notified of these errors now: people with a level other than NONE, and named people without a
 * level.
 */
export async function personsOf(
  { database, readers }: Pick<Host, "database" | "readers">,
  {
    projectId,
    errorIds,
    named = new Set(),
  }: { projectId: number; errorIds: readonly string[]; named?: ReadonlySet<number> },
): Promise<readonly Person[]> {
  const read = database.read<Tables>();
  const levels = await read.selectFrom("notifier_level").selectAll().where("project_id", "=", projectId).execute();
  const levelOf = new Map(levels.map((row) => [row.user_id, row.level]));
  const asking = (await readers.of(projectId, [...levelOf.keys(), ...named])).flatMap((reader) => {
    const own = levelOf.get(reader.userId);
    const level = own ?? defaultLevel(reader.permissions);
    const isDefaultLevel = own === undefined;
    if (level === NotificationLevel.NONE && !(isDefaultLevel && named.has(reader.userId))) return [];
    return [{ reader, level, isDefaultLevel }];
  });
  if (asking.length === 0) return [];
  const rows = await read
    .selectFrom("notifier_person")
    .selectAll()
    .where(
      "user_id",
      "in",
      asking.map(({ reader }) => reader.userId),
    )
    .execute();
  const rowOf = new Map(rows.map((row) => [row.user_id, row]));
  const subscribed = await read
    .selectFrom("notifier_subscription")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "in", ["", ...new Set(errorIds)]) // PostgreSQL takes no empty list
    .execute();
  const subscriptionsOf = Map.groupBy(subscribed, (row) => row.user_id);
  return asking.map(({ reader, level, isDefaultLevel }) => ({
    ...personOf(reader, rowOf.get(reader.userId)),
    level,
    isDefaultLevel,
    subscriptions: new Map(
      (subscriptionsOf.get(reader.userId) ?? []).map(({ error_id, subscription }) => [error_id, subscription]),
    ),
  }));
}

const personOf = ({ userId, username }: Reader, row: PersonRow | undefined) => ({
  userId,
  username,
  wantsMail: row === undefined || row.wants_mail === 1,
  quietHours: row && quietHoursOf(row),
});

/** A zone that is no longer known counts as UTC. */
export function quietHoursOf({
  time_zone,
  quiet_from,
  quiet_until,
}: Omit<PersonRow, "user_id">): QuietHours | undefined {
  if (quiet_from === null || quiet_until === null) return undefined;
  return { timeZone: isTimeZone(time_zone) ? time_zone : "UTC", from: quiet_from, until: quiet_until };
}
