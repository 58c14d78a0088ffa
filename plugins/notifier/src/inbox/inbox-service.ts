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
  type ReadableProject,
} from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { InboxService, type InboxEntrySchema } from "@faultline/proto";
import { sql, type SqlBool, type Kysely } from "kysely";
import { Kinds } from "../kinds.ts";
import { readCounts } from "./new-entries.ts";
import type { InboxChanges } from "./inbox-changes.ts";
import type { InboxRow, Tables } from "../tables.ts";

type Parts = Pick<Host, "database" | "readers" | "clock">;

/** The projects in a person's inbox, by id, if the person may read their errors now. */
async function readableProjects(
  { database, readers }: Parts,
  userId: number,
): Promise<ReadonlyMap<number, ReadableProject>> {
  const rows = await database
    .read<Tables>()
    .selectFrom("notifier_inbox")
    .select("project_id")
    .distinct()
    .where("user_id", "=", userId)
    .execute();
  const projects = await readers.readable(
    userId,
    rows.map((row) => row.project_id),
  );
  return new Map(projects.map((project) => [project.projectId, project]));
}

/** The entries that a person sees now. `projectIds` come from `readableProjects`. */
const shownEntries = (
  tables: Kysely<Tables>,
  { userId, projectIds, now }: { userId: number; projectIds: Iterable<number>; now: number },
) =>
  tables
    .selectFrom("notifier_inbox")
    .where("user_id", "=", userId)
    .where("project_id", "in", [0, ...projectIds]) // a list may not be empty
    .where("due_at", "<=", now);

/** How many of a person's entries are unread. */
async function unreadCount(parts: Parts, userId: number): Promise<number> {
  const projectIds = (await readableProjects(parts, userId)).keys();
  const { count } = await shownEntries(parts.database.read<Tables>(), { userId, projectIds, now: parts.clock.now() })
    .where("read_at", "is", null)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const mostMarked = 100;

/** The inboxes of people, each for its owner. */
export const inboxService = (changes: InboxChanges): ServedService =>
  serve(InboxService, (host) => {
    const kinds = new Kinds(host);
    return {
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
          entries: page.map((row) =>
            entryToProto(row, { kinds, projectPath: projects.get(row.project_id)?.path ?? "" }),
          ),
          nextPageToken: rows.length > size && last ? pageToken(list, [last.due_at, last.id]) : "",
        };
      },

      async getUnreadCount(_, { caller }) {
        return { unreadCount: await unreadCount(host, caller.user.id) };
      },

      async markInboxEntriesRead({ entryIds, untilEntryId, untilTime }, { caller }) {
        if (entryIds.length > mostMarked) {
          throw invalidField(
            "entry_ids",
            `Name at most ${mostMarked} entries, or the newest of all by until_entry_id.`,
          );
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
    };
  });

/** The condition that an entry is at or after the top entry that the person saw. */
const upTo = (id: number, arrived: Timestamp | undefined) =>
  arrived ? sql<SqlBool>`(due_at, id) <= (${millisecondsOf(arrived)}, ${id})` : sql<SqlBool>`id <= ${id}`;

/** The ids of entries that the person may see, out of these ids. */
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

const entryToProto = (
  row: InboxRow,
  { kinds, projectPath }: { kinds: Kinds; projectPath: string },
): MessageInitShape<typeof InboxEntrySchema> => ({
  entryId: BigInt(row.id),
  projectId: row.project_id,
  projectPath,
  errorId: row.error_id,
  title: row.title,
  culprit: row.culprit,
  level: row.level,
  ...kinds.named(row.notification_trigger),
  headline: kinds.entryHeadline(row),
  text: row.text,
  status: row.status,
  madeBy: row.made_by,
  gathered: Object.entries(readCounts(row.gathered)).map(([number, count]) => ({
    ...kinds.named(Number(number)),
    count,
    summary: kinds.counted(Number(number), count),
  })),
  time: timestamp(row.happened_at),
  read: row.read_at !== null,
  arrivedTime: timestamp(row.due_at),
});
