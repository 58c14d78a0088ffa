import {
  invalidField,
  millisecondsOf,
  pageSizeOf,
  pageToken,
  readPageToken,
  serve,
  timestamp,
  type Host,
  type ServedService,
} from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { InboxService, type InboxEntrySchema, type NotificationTrigger } from "@faultline/proto";
import { sql, type SqlBool } from "kysely";
import type { Tables } from "../tables.ts";
import type { InboxRow } from "./tables.ts";
import { readCounts } from "./gathered.ts";
import type { InboxChanges } from "./inbox-changes.ts";
import { readableProjects, shownEntries, unreadCount } from "./readable-entries.ts";

const mostMarked = 100;

/** The inboxes of people, each for its owner. */
export const inboxService = (changes: InboxChanges): ServedService =>
  serve(InboxService, (host) => ({
    async listInboxEntries({ unreadOnly, pageSize, pageToken: token }, { caller }) {
      const userId = caller.user.id;
      const list = JSON.stringify(["inbox", userId, unreadOnly]);
      const place = readPageToken(list, token, ["number", "number"]);
      const size = pageSizeOf({ pageSize });
      const projects = await readableProjects(host, userId);
      const of = { userId, projectIds: projects.keys(), now: host.clock.now() };
      let query = shownEntries(host.database.read<Tables>(), of).selectAll();
      if (unreadOnly) query = query.where("read_at", "is", null);
      if (place) query = query.where(sql<SqlBool>`(due_at, id) < (${place[0]}, ${place[1]})`);
      const rows = await query
        .orderBy("due_at", "desc")
        .orderBy("id", "desc")
        .limit(size + 1)
        .execute();
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        entries: page.map((row) => entryToProto(row, projects.get(row.project_id)?.path ?? "")),
        nextPageToken: rows.length > size && last ? pageToken(list, [last.due_at, last.id]) : "",
      };
    },

    async getUnreadCount(_, { caller }) {
      return { unreadCount: await unreadCount(host, caller.user.id) };
    },

    async markInboxEntriesRead({ entryIds, untilEntryId, untilTime }, { caller }) {
      if (entryIds.length > mostMarked) {
        throw invalidField("entry_ids", `Name at most ${mostMarked} entries, or the newest of all by until_entry_id.`);
      }
      const userId = caller.user.id;
      const now = host.clock.now();
      const ids = entryIds.map(Number);
      const { numUpdatedRows } = await host.database
        .write<Tables>()
        .updateTable("notifier_inbox")
        .set({ read_at: now })
        .where("user_id", "=", userId)
        .where("read_at", "is", null)
        .where("due_at", "<=", now)
        .where(({ eb, or }) =>
          or([upTo(Number(untilEntryId), untilTime), ...(ids.length > 0 ? [eb("id", "in", ids)] : [])]),
        )
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) changes.changed([userId]);
      const known = new Set(await ownEntries(host, { userId, ids, now }));
      return {
        unreadCount: await unreadCount(host, userId),
        notFoundEntryIds: entryIds.filter((id) => !known.has(Number(id))),
      };
    },

    async *watchInbox(_, { caller, signal }) {
      for await (const userId of changes.of(caller.user.id, signal ?? new AbortController().signal)) {
        yield { unreadCount: await unreadCount(host, userId) };
      }
    },
  }));

/** The condition that an entry stands at or after the one that the person saw at the top. */
const upTo = (id: number, arrived: Timestamp | undefined) =>
  arrived ? sql<SqlBool>`(due_at, id) <= (${millisecondsOf(arrived)}, ${id})` : sql<SqlBool>`id <= ${id}`;

/** Those of the ids that name entries which the person may see. */
async function ownEntries(
  host: Host,
  { userId, ids, now }: { readonly userId: number; readonly ids: readonly number[]; readonly now: number },
): Promise<number[]> {
  if (ids.length === 0) return [];
  const projects = await readableProjects(host, userId);
  const rows = await shownEntries(host.database.read<Tables>(), { userId, projectIds: projects.keys(), now })
    .select("id")
    .where("id", "in", ids)
    .execute();
  return rows.map(({ id }) => id);
}

const entryToProto = (row: InboxRow, projectPath: string): MessageInitShape<typeof InboxEntrySchema> => ({
  entryId: BigInt(row.id),
  projectId: row.project_id,
  projectPath,
  errorId: row.error_id,
  title: row.title,
  culprit: row.culprit,
  level: row.level,
  trigger: row.notification_trigger,
  status: row.status,
  madeBy: row.made_by,
  gathered: Object.entries(readCounts(row.gathered)).map(([trigger, count]) => ({
    trigger: Number(trigger) as NotificationTrigger, // as `counted` wrote it
    count,
  })),
  time: timestamp(row.happened_at),
  read: row.read_at !== null,
  arrivedTime: timestamp(row.due_at),
});
