import { tableMigrations, type Database, type ErrorOfProject, type Plugin, type SqlWords } from "@faultline/plugin";
import { sql, type Generated, type Kysely, type Selectable, type Transaction } from "kysely";

/** The tables of comments and their earlier texts. The index by bytes covers the sum for a project. */
const commentTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
  `create table comments_comment (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    author_id ${int} references "user" (id) on delete set null,
    author ${text} not null,
    text ${text} not null,
    version ${int} not null,
    created_at ${int} not null,
    edited_at ${int},
    deleted_at ${int},
    deleted_by ${text} not null,
    bytes ${int} not null
  )${end}`,
  `create index comments_comment_error on comments_comment (project_id, error_id, id)`,
  `create index comments_comment_author on comments_comment (author_id, created_at)`,
  `create index comments_comment_bytes on comments_comment (project_id, bytes)`,
  `create table comments_version (
    comment_id ${int} not null references comments_comment (id) on delete cascade,
    version ${int} not null,
    text ${text} not null,
    written_at ${int} not null,
    primary key (comment_id, version)
  )${end}`,
];

export const migrations = tableMigrations([["comments-0001", commentTables]]);

/** The tables of the migrations, for Kysely. */
export interface Tables {
  comments_comment: CommentTable;
  comments_version: VersionTable;
}

interface CommentTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly error_id: string;
  /** Null if the user was deleted. */
  readonly author_id: number | null;
  readonly author: string;
  readonly text: string;
  readonly version: number;
  readonly created_at: number;
  readonly edited_at: number | null;
  readonly deleted_at: number | null;
  readonly deleted_by: string;
  /** Approximate bytes on disk of the comment and its earlier texts. */
  readonly bytes: number;
}

/** An earlier text of a comment. */
interface VersionTable {
  readonly comment_id: number;
  readonly version: number;
  readonly text: string;
  readonly written_at: number;
}

export type CommentRow = Selectable<CommentTable>;

/** Approximate bytes on disk of a row without its text, including its entries in indexes. */
const rowBytes = 256;

export const bytesOf = (text: string): number => rowBytes + Buffer.byteLength(text);

/** Runs changes one after another, so that two never exceed a limit together or start from the same version. */
export function change<T>(database: Database, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  return database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      if (database.kind === "postgresql") {
        await sql`lock table comments_comment in share row exclusive mode`.execute(transaction);
      }
      return work(transaction);
    });
}

/** The row of a comment. Undefined if the error has no such comment. */
export async function findComment(
  tables: Kysely<Tables>,
  { projectId, errorId }: ErrorOfProject,
  commentId: number,
): Promise<CommentRow | undefined> {
  const row = await tables
    .selectFrom("comments_comment")
    .selectAll()
    .where("id", "=", commentId)
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .executeTakeFirst();
  return row && numbers(row);
}

/** Comments on an error after the comment `after`, in the order of their ids. */
export async function listRows(
  tables: Kysely<Tables>,
  { projectId, errorId }: ErrorOfProject,
  { after, limit, newestFirst }: { after: number | undefined; limit: number; newestFirst: boolean },
): Promise<CommentRow[]> {
  let query = tables
    .selectFrom("comments_comment")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .orderBy("id", newestFirst ? "desc" : "asc")
    .limit(limit);
  if (after !== undefined) query = query.where("id", newestFirst ? "<" : ">", after);
  return (await query.execute()).map(numbers);
}

/** The number of comments on an error, including deleted comments. */
export async function countComments(tables: Kysely<Tables>, { projectId, errorId }: ErrorOfProject): Promise<number> {
  const { count } = await tables
    .selectFrom("comments_comment")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The number of comments that a person wrote since a time, across all errors. */
export async function countSince(tables: Kysely<Tables>, authorId: number, since: number): Promise<number> {
  const { count } = await tables
    .selectFrom("comments_comment")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("author_id", "=", authorId)
    .where("created_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The earlier texts of a comment, newest first. */
export async function listEarlier(
  tables: Kysely<Tables>,
  commentId: number,
): Promise<Omit<VersionTable, "comment_id">[]> {
  const rows = await tables
    .selectFrom("comments_version")
    .select(["version", "text", "written_at"])
    .where("comment_id", "=", commentId)
    .orderBy("version", "desc")
    .execute();
  return rows.map(({ version, text, written_at }) => {
    return { version: Number(version), text, written_at: Number(written_at) };
  });
}

/** Replaces the text of a comment, and keeps the former text as an earlier text. */
export async function replaceText(
  transaction: Transaction<Tables>,
  stored: CommentRow,
  { text, at }: { text: string; at: number },
): Promise<CommentRow> {
  const written_at = stored.edited_at ?? stored.created_at;
  await transaction
    .insertInto("comments_version")
    .values({ comment_id: stored.id, version: stored.version, text: stored.text, written_at })
    .execute();
  const changes = { text, version: stored.version + 1, edited_at: at, bytes: stored.bytes + bytesOf(text) };
  await transaction.updateTable("comments_comment").set(changes).where("id", "=", stored.id).execute();
  return { ...stored, ...changes };
}

/** Erases all texts of a comment. Its row remains as a stub. */
export async function eraseTexts(
  transaction: Transaction<Tables>,
  stored: CommentRow,
  { by, at }: { by: string; at: number },
): Promise<CommentRow> {
  const changes = { text: "", deleted_at: at, deleted_by: by, bytes: bytesOf("") };
  await transaction.deleteFrom("comments_version").where("comment_id", "=", stored.id).execute();
  await transaction.updateTable("comments_comment").set(changes).where("id", "=", stored.id).execute();
  return { ...stored, ...changes };
}

/** Entries of the activity. An error never has more comments than the activity accepts. */
export const commentActivity: NonNullable<Plugin["activity"]> = async ({ database }, { projectId, errorId }) => {
  const rows = await database
    .read<Tables>()
    .selectFrom("comments_comment")
    .select(["created_at", "author"])
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .execute();
  return rows.map(({ created_at, author }) => ({ at: Number(created_at), actor: author, text: "Commented" }));
};

/** PostgreSQL's driver may return numbers as text. */
const numbers = (row: CommentRow): CommentRow => ({
  ...row,
  id: Number(row.id),
  author_id: row.author_id === null ? null : Number(row.author_id),
  version: Number(row.version),
  created_at: Number(row.created_at),
  edited_at: row.edited_at === null ? null : Number(row.edited_at),
  deleted_at: row.deleted_at === null ? null : Number(row.deleted_at),
  bytes: Number(row.bytes),
});
