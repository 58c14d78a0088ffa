import {
  bodyOf,
  cursorPage,
  idInPath,
  noContent,
  operation,
  paramsOf,
  single,
  textInPath,
} from "@faultline/plugin/rest";
import { CommentSchema, CommentService, CommentVersionSchema, ErrorReason } from "@faultline/proto";

const tag = "Comments";
const { method } = CommentService;

const list = "/projects/:project/error_tracking/errors/:error_id/comments" as const;
const error = { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) };
const path = { ...error, comment_id: idInPath("The comment.", ErrorReason.NOT_FOUND) };

const comment = bodyOf(CommentSchema, {
  commentId: "id",
  projectId: false,
  blocks: false,
  editedTime: null,
  deletedTime: null,
  deletedBy: null,
});
const text = { isRequired: true, maxLength: 10_000 };

export const listComments = operation(method.listComments, `GET ${list}`, {
  tag,
  summary: "List the comments on an error",
  path: error,
  answer: cursorPage("The comments, the oldest first. A deleted comment has an empty text.", comment),
});

export const createComment = operation(method.createComment, `POST ${list}`, {
  tag,
  summary: "Comment on an error",
  more: "People whom the text mentions as `@username` get a notification.",
  path: error,
  params: paramsOf(method.createComment.input, { text }),
  answer: single(201, "The comment.", comment),
  refuses: [429],
});

export const updateComment = operation(method.updateComment, `PUT ${list}/:comment_id`, {
  tag,
  summary: "Change the text of a comment",
  more: "You can only change your own comments. The earlier text is kept.",
  path,
  params: paramsOf(method.updateComment.input, { version: { isRequired: true }, text }),
  answer: single(200, "The changed comment.", comment),
  refuses: [409],
});

export const deleteComment = operation(method.deleteComment, `DELETE ${list}/:comment_id`, {
  tag,
  summary: "Delete a comment",
  more: "You can delete your own comments. To delete another person's comment, you need the Maintainer role.",
  path,
  answer: noContent,
});

export const listCommentVersions = operation(method.listCommentVersions, `GET ${list}/:comment_id/versions`, {
  tag,
  summary: "List the texts that a comment had",
  path,
  answer: cursorPage("The texts, the newest first.", bodyOf(CommentVersionSchema, { time: "written_at" })),
});
