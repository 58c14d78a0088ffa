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
} from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ErrorSubscriptionSchema,
  NotificationLevel,
  NotificationLevelSchema,
  NotificationPreferenceService,
  type ProjectNotificationLevelSchema,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import type { InboxChanges } from "../inbox/inbox-changes.ts";
import type { Tables } from "../tables.ts";
import type { PersonRow } from "./tables.ts";
import { explained } from "./explain.ts";
import { defaultLevel, quietHoursOf } from "./person.ts";
import { checkedPreferences, preferencesToProto } from "./preferences.ts";
import { afterQuietHours } from "./quiet-hours.ts";
import { subscribe, subscriptionOf } from "./subscriptions.ts";

/** What people want to learn, each for themselves. */
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
        ...(await explained(read, asked, subscription)),
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

/** Stores preferences; entries that the old quiet hours hold back follow the new ones. */
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
