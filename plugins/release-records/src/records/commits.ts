import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  invalidField,
  timestamp,
  commitAddress,
  pageOfRows,
  pageSizeOf,
  pageToken,
  readPageToken,
} from "@faultline/plugin";
import type {
  Commit,
  CommitSchema,
  ListCommitsRequest,
  ListCommitsResponseSchema,
  GetPreviousCommitResponseSchema,
} from "@faultline/proto";
import type { Transaction, Kysely } from "kysely";
import { limits } from "../limits.ts";
import type { CommitRow, RecordRow, Tables } from "../tables.ts";
import { cutText, readTime } from "./read-fields.ts";
import { recordOf, findRecord } from "./release-record.ts";

type CommitFields = Omit<CommitRow, "release_id" | "position">;

/** Rows of one statement, so that it has at most some hundred kB of text. */
const rowsAtOnce = 100;

/** The columns of commits, as many as a release has. Texts and lists that are too long are cut. */
export function readCommits(commits: readonly Commit[]): CommitFields[] {
  let room: number = limits.pathsOfRelease;
  return commits.slice(0, limits.commits).map((commit) => {
    const paths = commit.paths
      .slice(0, Math.min(limits.pathsOfCommit, room))
      .filter(({ length }) => length <= limits.path);
    room -= paths.length;
    return {
      commit_id: readCommitId(commit.commitId),
      repository: cutText(commit.repository, limits.repository),
      message: cutText(commit.message.trim(), limits.message),
      author_name: cutText(commit.authorName, limits.author),
      author_email: cutText(commit.authorEmail, limits.author),
      committed_at: readTime("commits.committed_time", commit.committedTime) ?? null,
      paths: JSON.stringify(paths.map((path) => path.toWellFormed())),
      path_count: Math.max(commit.pathCount, commit.paths.length),
    };
  });
}

function readCommitId(text: string): string {
  const id = text.trim();
  if (/^[!-~]+$/.test(id) && id.length <= limits.commitId) return id;
  throw invalidField(
    "commits.commit_id",
    `Each commit needs an id of 1 to ${limits.commitId} letters, digits or signs without spaces.`,
  );
}

/** About the bytes that commits take. */
export const bytesOf = (commits: readonly CommitFields[]): number =>
  commits.reduce((sum, { message, paths }) => sum + 512 + message.length + paths.length, 0);

/** Stores the commits of a release in place of those it has. */
export async function replaceCommits(
  transaction: Transaction<Tables>,
  { id }: Pick<RecordRow, "id">,
  commits: readonly CommitFields[],
): Promise<void> {
  await transaction.deleteFrom("release_commit").where("release_id", "=", id).execute();
  const rows = commits.map((commit, position) => ({ release_id: id, position, ...commit }));
  for (let n = 0; n < rows.length; n += rowsAtOnce) {
    await transaction
      .insertInto("release_commit")
      .values(rows.slice(n, n + rowsAtOnce))
      .execute();
  }
  await transaction.updateTable("release_record").set({ commit_count: rows.length }).where("id", "=", id).execute();
}

export const commitToProto = (
  row: CommitRow,
  { paths, codeUrl }: { readonly paths: readonly string[]; readonly codeUrl: string },
): MessageInitShape<typeof CommitSchema> => ({
  commitId: row.commit_id,
  repository: row.repository,
  message: row.message,
  authorName: row.author_name,
  authorEmail: row.author_email,
  ...(row.committed_at !== null && { committedTime: timestamp(Number(row.committed_at)) }),
  paths: [...paths],
  pathCount: Number(row.path_count),
  codeUrl,
});

/** The kept paths of a commit. */
export const pathsOf = ({ paths }: CommitRow): string[] => JSON.parse(paths) as string[]; // as stored here

/** A page of a release's commits, the newest first. */
export async function listCommits(
  tables: Kysely<Tables>,
  { projectId, codeUrl }: { readonly projectId: number; readonly codeUrl: string },
  request: ListCommitsRequest,
): Promise<MessageInitShape<typeof ListCommitsResponseSchema>> {
  const record = await recordOf(tables, { projectId, version: request.version });
  const list = `commits ${record.id}`;
  const [after] = readPageToken(list, request.pageToken, ["number"]) ?? [-1];
  const size = pageSizeOf(request);
  const rows = await tables
    .selectFrom("release_commit")
    .selectAll()
    .where("release_id", "=", record.id)
    .where("position", ">", after)
    .orderBy("position")
    .limit(size + 1)
    .execute();
  const { page, nextPageToken } = pageOfRows(rows, size, (last) => pageToken(list, [Number(last.position)]));
  return {
    commits: page.map((row) =>
      commitToProto(row, { paths: pathsOf(row), codeUrl: commitAddress(codeUrl, row.commit_id) }),
    ),
    nextPageToken,
  };
}

/** The newest commit of the last release with commits that was recorded before a release, or before now. */
export async function previousCommit(
  tables: Kysely<Tables>,
  of: { readonly projectId: number; readonly version: string },
): Promise<MessageInitShape<typeof GetPreviousCommitResponseSchema>> {
  const record = await findRecord(tables, of);
  let earlier = tables
    .selectFrom("release_record as record")
    .innerJoin("release_commit as commit", "commit.release_id", "record.id")
    .select(["record.version", "record.created_at", "commit.commit_id", "commit.repository"])
    .where("record.project_id", "=", of.projectId)
    .where("record.commit_count", ">", 0)
    .where("commit.position", "=", 0);
  if (record) earlier = earlier.where("record.id", "<", record.id);
  const found = await earlier.orderBy("record.id", "desc").limit(1).executeTakeFirst();
  if (!found) return {};
  const { version, commit_id: commitId, repository, created_at } = found;
  return { version, commitId, repository, createdTime: timestamp(Number(created_at)) };
}
