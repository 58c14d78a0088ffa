import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, timestamp } from "@faultline/plugin";
import type { Commit, CommitSchema } from "@faultline/proto";
import type { Transaction } from "kysely";
import { limits } from "../limits.ts";
import type { CommitRow, RecordRow, Tables } from "../tables.ts";
import { cutText, readTime } from "./read-fields.ts";

type CommitFields = Omit<CommitRow, "release_id" | "position">;

/** Rows of one statement, so that it is no longer than some hundred kB of text. */
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

/** A commit as a message. */
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
