import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  invalidField,
  noticeLimits,
  pageSizeOf,
  pageToken,
  readPageToken,
  serve,
  ServiceError,
  timestamp,
  type AdmittedCall,
  type ErrorOfProject,
  type Host,
} from "@faultline/plugin";
import { cut } from "@faultline/plugin/text";
import {
  CommentService,
  ErrorReason,
  ErrorService,
  Permission,
  type CommentSchema,
  type ListCommentsRequest,
  type ListCommentVersionsRequest,
} from "@faultline/proto";
import type { Kysely, Transaction } from "kysely";
import { readMarkdown, wordsOf } from "./markdown.ts";
import { mentionedIn, namesIn } from "./mentions.ts";
import {
  bytesOf,
  change,
  countComments,
  countSince,
  eraseTexts,
  findComment,
  listEarlier,
  listRows,
  replaceText,
  type CommentRow,
  type Tables,
} from "./store.ts";

const minuteMs = 60_000;
const longestText = 10_000;
const mostOfError = 1_000;
const mostOfPersonPerMinute = 20;
const mostVersions = 50;
/** Maximum characters of a page, which must fit into a message. The comment that exceeds them is on the next page. */
const charactersOfPage = 100_000;

/** The comments on errors. */
export const commentService = serve(CommentService, (host) => ({
  async listComments(request, call) {
    return pageOfComments(host, await readableError(host, request.errorId, call), request, call);
  },

  async listCommentVersions(request, call) {
    return pageOfVersions(host, await readableError(host, request.errorId, call), request);
  },

  async createComment(request, call) {
    const error = await readableError(host, request.errorId, call);
    const text = checkedText(request.text);
    const mentioned = await mentionedIn(text, error.projectId, host);
    host.admitStoring(bytesOf(text), error.projectId);
    const row = await change(host.database, async (transaction) => {
      const added = await insertComment(transaction, error, { text, author: call.caller.user, at: host.clock.now() });
      const notice = noticeOf(added);
      const mention = { ...notice, kind: "mention", userIds: mentioned.map(({ userId }) => userId) };
      const notices = [{ ...notice, kind: "comment" }, ...(mentioned.length > 0 ? [mention] : [])];
      await host.notify(notices, transaction);
      return added;
    });
    return { comment: commentOf(row, call) };
  },

  async updateComment(request, call) {
    const error = await readableError(host, request.errorId, call);
    const text = checkedText(request.text);
    const mentioned = await mentionedIn(text, error.projectId, host);
    host.admitStoring(bytesOf(text), error.projectId);
    const row = await change(host.database, async (transaction) => {
      const stored = await undeleted(transaction, error, request.commentId);
      if (!isOwn(stored, call)) throw refused("Only the author of a comment can change its text.");
      if (stored.version !== request.version) throw changedMeanwhile(stored.version);
      if (stored.version >= mostVersions) throw tooManyVersions();
      const changed = await replaceText(transaction, stored, { text, at: host.clock.now() });
      const before = namesIn(stored.text);
      const added = mentioned.filter(({ username }) => !before.has(username.toLowerCase()));
      const mention = { ...noticeOf(changed), kind: "mention", userIds: added.map(({ userId }) => userId) };
      if (added.length > 0) await host.notify([mention], transaction);
      return changed;
    });
    return { comment: commentOf(row, call) };
  },

  async deleteComment({ errorId, commentId }, call) {
    const error = await readableError(host, errorId, call);
    const row = await change(host.database, async (transaction) => {
      const stored = await undeleted(transaction, error, commentId);
      if (!mayDelete(stored, call))
        throw refused("Only its author or a maintainer of the project can delete a comment.");
      return eraseTexts(transaction, stored, { by: call.caller.user.username, at: host.clock.now() });
    });
    return { comment: commentOf(row, call) };
  },
}));

async function pageOfComments(host: Host, error: ErrorOfProject, request: ListCommentsRequest, call: AdmittedCall) {
  const { newestFirst } = request;
  const list = `comments ${error.projectId} ${error.errorId} ${newestFirst}`;
  const [after] = readPageToken(list, request.pageToken, ["number"]) ?? [];
  const limit = pageSizeOf(request);
  const tables = host.database.read<Tables>();
  const [found, totalSize] = await Promise.all([
    listRows(tables, error, { after, limit: limit + 1, newestFirst }),
    countComments(tables, error),
  ]);
  let characters = 0;
  const rows = found.slice(0, limit).filter(({ text }, n) => {
    characters += text.length;
    return n === 0 || characters <= charactersOfPage;
  });
  const last = rows.at(-1);
  return {
    comments: rows.map((row) => commentOf(row, call)),
    nextPageToken: last && rows.length < found.length ? pageToken(list, [last.id]) : "",
    totalSize,
    mayCreate: call.grant.permissions.has(Permission.UPDATE_ERROR_TRACKING),
  };
}

async function pageOfVersions({ database }: Host, error: ErrorOfProject, request: ListCommentVersionsRequest) {
  const { commentId } = request;
  const tables = database.read<Tables>();
  const row = await existing(tables, error, commentId);
  const list = `comment versions ${commentId}`;
  const [before = mostVersions + 1] = readPageToken(list, request.pageToken, ["number"]) ?? [];
  const present = { version: row.version, text: row.text, written_at: row.edited_at ?? row.created_at };
  const all = row.deleted_at === null ? [present, ...(await listEarlier(tables, commentId))] : [];
  const rest = all.filter(({ version }) => version < before);
  const page = rest.slice(0, pageSizeOf(request));
  const last = page.at(-1);
  return {
    versions: page.map(({ version, text, written_at }) => {
      return { version, text, time: timestamp(written_at), author: row.author };
    }),
    nextPageToken: last && page.length < rest.length ? pageToken(list, [last.version]) : "",
  };
}

/** Adds a comment within the limits of its error and its author. */
async function insertComment(
  transaction: Transaction<Tables>,
  error: ErrorOfProject,
  { text, author, at }: { text: string; author: AdmittedCall["caller"]["user"]; at: number },
): Promise<CommentRow> {
  if ((await countComments(transaction, error)) >= mostOfError) throw errorIsFull();
  if ((await countSince(transaction, author.id, at - minuteMs)) >= mostOfPersonPerMinute) throw tooManyComments();
  const values = {
    project_id: error.projectId,
    error_id: error.errorId,
    author_id: author.id,
    author: author.username,
    text,
    version: 1,
    created_at: at,
    edited_at: null,
    deleted_at: null,
    deleted_by: "",
    bytes: bytesOf(text),
  };
  const { id } = await transaction
    .insertInto("comments_comment")
    .values(values)
    .returning("id")
    .executeTakeFirstOrThrow();
  return { ...values, id: Number(id) };
}

/** The content of a comment's notice. */
const noticeOf = ({ project_id, error_id, author, text, created_at, edited_at }: CommentRow) => ({
  projectId: project_id,
  errorId: error_id,
  at: edited_at ?? created_at,
  actor: author,
  text: cut(wordsOf(text), noticeLimits.textLength),
});

/** The error that a call names. Refuses like GetError, so that comments reveal nothing that the error does not. */
async function readableError(host: Host, errorId: string, { grant, signal }: AdmittedCall): Promise<ErrorOfProject> {
  const error = { projectId: grant.project.id, errorId };
  await host.invoke(ErrorService.method.getError, error, signal);
  return error;
}

async function existing(tables: Kysely<Tables>, error: ErrorOfProject, commentId: number): Promise<CommentRow> {
  const row = await findComment(tables, error, commentId);
  if (row) return row;
  throw new ServiceError(ErrorReason.NOT_FOUND, "This comment does not exist on this error.");
}

async function undeleted(tables: Kysely<Tables>, error: ErrorOfProject, commentId: number): Promise<CommentRow> {
  const row = await existing(tables, error, commentId);
  if (row.deleted_at === null) return row;
  throw new ServiceError(ErrorReason.NOT_FOUND, "This comment was deleted.");
}

/** The text in its stored form: one kind of line break and no control characters. */
function checkedText(given: string): string {
  const text = given
    .slice(0, 2 * longestText)
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
  if (text === "") throw invalidField("text", "Enter a comment.");
  if (text.length <= longestText) return text;
  throw invalidField("text", `A comment has at most ${longestText.toLocaleString("en")} characters.`);
}

const isOwn = ({ author_id }: CommentRow, { caller }: AdmittedCall) => author_id === caller.user.id;

const mayDelete = (row: CommentRow, call: AdmittedCall) =>
  isOwn(row, call) || call.grant.permissions.has(Permission.ADMIN_ERROR_TRACKING);

function commentOf(row: CommentRow, call: AdmittedCall): MessageInitShape<typeof CommentSchema> {
  const canChange = row.deleted_at === null && call.grant.permissions.has(Permission.UPDATE_ERROR_TRACKING);
  return {
    commentId: row.id,
    projectId: row.project_id,
    errorId: row.error_id,
    author: row.author,
    text: row.text,
    blocks: [...readMarkdown(row.text)],
    createdTime: timestamp(row.created_at),
    ...(row.edited_at !== null && { editedTime: timestamp(row.edited_at) }),
    ...(row.deleted_at !== null && { deletedTime: timestamp(row.deleted_at) }),
    deletedBy: row.deleted_by,
    version: row.version,
    mayUpdate: canChange && isOwn(row, call),
    mayDelete: canChange && mayDelete(row, call),
  };
}

const refused = (sentence: string) => new ServiceError(ErrorReason.FORBIDDEN, sentence);

const changedMeanwhile = (version: number) =>
  new ServiceError(
    ErrorReason.VERSION_CHANGED,
    `This comment was changed meanwhile: it has version ${version} now. Read it again, then change it.`,
    { field: "version" },
  );

const errorIsFull = () =>
  new ServiceError(ErrorReason.LIMIT_REACHED, `An error has at most ${mostOfError.toLocaleString("en")} comments.`);

const tooManyVersions = () =>
  new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `A comment has at most ${mostVersions} versions. Add another comment instead.`,
  );

const tooManyComments = () =>
  new ServiceError(
    ErrorReason.RATE_LIMITED,
    `You wrote ${mostOfPersonPerMinute} comments within a minute. Wait a minute, then try again.`,
    { retryAfterSeconds: 60 },
  );
