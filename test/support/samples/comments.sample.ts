import type { Sample } from "./samples.ts";

/** A comment that was changed, and a comment that was deleted. */
export default {
  async make({ comments, auth }, error) {
    const { comment: deleted } = await comments.createComment({ ...error, text: "Deleted" }, auth);
    await comments.deleteComment({ ...error, commentId: deleted?.commentId ?? 0 }, auth);
    const { comment } = await comments.createComment({ ...error, text: "**Vouchers** \u{1F39F}" }, auth);
    const commentId = comment?.commentId ?? 0;
    await comments.updateComment({ ...error, commentId, version: 1, text: "Vouchers again" }, auth);
    return { commentId: String(commentId) };
  },
  async read({ comments, auth }, { projectId, errorIds }) {
    const read = [];
    for (const errorId of errorIds) {
      const { comments: listed } = await comments.listComments({ projectId, errorId }, auth);
      for (const { commentId } of listed) {
        read.push(await comments.listCommentVersions({ projectId, errorId, commentId }, auth));
      }
      read.push(listed);
    }
    return read;
  },
} satisfies Sample;
