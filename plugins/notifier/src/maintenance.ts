import { dayMs, invalidField, millisecondsOf, serve, timestamp } from "@faultline/plugin";
import { NotificationMaintenanceService } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { MaintenanceRow, Tables } from "./tables.ts";

const longestDays = 7;
const latestDays = 30;

/** A form's current time may be a minute old when it arrives. */
const lateMs = 120_000;

/** The maintenance windows of projects. */
export const maintenanceService = serve(NotificationMaintenanceService, ({ database, clock }) => ({
  async getNotificationMaintenance(_, { grant }) {
    const row = await readMaintenance(database.read(), grant.project.id, clock.now());
    return row ? { maintenance: toProto(row) } : {};
  },

  async setNotificationMaintenance({ startTime, endTime }, { grant, caller }) {
    const now = clock.now();
    const startsAt = startTime ? millisecondsOf(startTime) : now;
    if (!endTime) throw invalidField("end_time", "Enter when the maintenance window ends.");
    const endsAt = millisecondsOf(endTime);
    if (startsAt < now - lateMs) throw invalidField("start_time", "A maintenance window cannot begin in the past.");
    if (startsAt > now + latestDays * dayMs) {
      throw invalidField("start_time", `A maintenance window must begin within ${latestDays} days.`);
    }
    if (endsAt <= startsAt || endsAt <= now)
      throw invalidField("end_time", "A maintenance window must end after it begins, and in the future.");
    if (endsAt - startsAt > longestDays * dayMs) {
      throw invalidField("end_time", `A maintenance window can last at most ${longestDays} days.`);
    }
    const columns = { starts_at: startsAt, ends_at: endsAt, set_by: caller.user.username };
    const row = { project_id: grant.project.id, ...columns };
    await database
      .write<Tables>()
      .insertInto("notifier_maintenance")
      .values(row)
      .onConflict((conflict) => conflict.column("project_id").doUpdateSet(columns))
      .execute();
    return { maintenance: toProto(row) };
  },

  async endNotificationMaintenance(_, { grant }) {
    const ended = await database
      .write<Tables>()
      .deleteFrom("notifier_maintenance")
      .where("project_id", "=", grant.project.id)
      .returningAll()
      .executeTakeFirst();
    return ended ? { maintenance: toProto(ended) } : {};
  },
}));

const toProto = (row: MaintenanceRow) => ({
  startTime: timestamp(row.starts_at),
  endTime: timestamp(row.ends_at),
  setBy: row.set_by,
});

/** The current or next window of a project. */
export function readMaintenance(
  tables: Kysely<Tables>,
  projectId: number,
  now: number,
): Promise<MaintenanceRow | undefined> {
  return tables
    .selectFrom("notifier_maintenance")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("ends_at", ">", now)
    .executeTakeFirst();
}

/** Whether a project is in its window. */
export async function inMaintenance(tables: Kysely<Tables>, projectId: number, now: number): Promise<boolean> {
  const window = await readMaintenance(tables, projectId, now);
  return window !== undefined && window.starts_at <= now;
}
