import type { ActionCall, LoadCall, ServerPart } from "@faultline/console/plugin.server";
import { route } from "@faultline/console/navigation/route.ts";
import { actionOrDown } from "@faultline/console/server/action.ts";
import { redirect } from "@sveltejs/kit";
import { sectionsOf } from "./sections.ts";

const commentsOfPage = 50;
const commentsOfPanel = 3;
const charactersOfExcerpt = 200;

/** The comments of the panel without Markdown marks, newest last. */
async function latest({ api, project: { projectId }, errorId }: LoadCall) {
  const asked = { projectId, errorId, pageSize: commentsOfPanel, newestFirst: true };
  const { comments, totalSize } = await api.comments.listComments(asked);
  return {
    totalSize,
    comments: comments.toReversed().map(({ commentId, author, createdTime, deletedTime, blocks }) => {
      const text = blocks.map(({ spans }) => spans.map((span) => span.text).join("")).join(" ");
      const isLong = text.length > charactersOfExcerpt;
      const excerpt = isLong ? `${text.slice(0, charactersOfExcerpt).toWellFormed()}…` : text;
      return {
        commentId,
        author,
        createdTime,
        excerpt: deletedTime === undefined ? excerpt : "This comment was deleted.",
      };
    }),
  };
}

/** A page of comments, newest last. `edit` and `versions` in the address name comments. */
async function page({ api, project: { projectId }, errorId, url }: LoadCall) {
  const pageToken = url.searchParams.get("cursor") ?? "";
  const named = (name: string) => Number(url.searchParams.get(name)) || undefined;
  const versionsOf = named("versions");
  const [{ comments, nextPageToken, mayCreate }, answer] = await Promise.all([
    api.comments.listComments({ projectId, errorId, pageSize: commentsOfPage, pageToken, newestFirst: true }),
    versionsOf === undefined
      ? undefined
      : api.comments.listCommentVersions({ projectId, errorId, commentId: versionsOf, pageSize: 100 }),
  ]);
  return {
    comments: comments.toReversed().map(({ blocks, ...comment }) => ({ ...comment, sections: sectionsOf(blocks) })),
    cursor: pageToken,
    nextPageToken,
    mayCreate,
    editing: named("edit"),
    versionsOf,
    /** The first version is the present text, which the comment already shows. */
    earlier: answer?.versions.slice(1) ?? [],
  };
}

/** Runs an action on a comment. After a refusal, the form shows the reason and the typed text. */
function act(call: ActionCall, run: (of: Comment) => Promise<{ comment?: { commentId: number } | undefined }>) {
  const { projectPath, errorId, form } = call;
  const commentId = Number(form.get("comment"));
  const text = String(form.get("text") ?? "");
  const of = { projectPath, errorId, commentId, version: Number(form.get("version")), text };
  return actionOrDown(
    async () => {
      const { comment } = await run(of);
      redirect(303, `${route.errorTab(projectPath, errorId, "comments")}#comment-${comment?.commentId}`);
    },
    { commentId, text },
  );
}

interface Comment {
  readonly projectPath: string;
  readonly errorId: string;
  readonly commentId: number;
  readonly version: number;
  readonly text: string;
}

export default {
  plugin: "comments",
  errorAside: { latest },
  errorTabs: {
    comments: {
      load: page,
      actions: {
        addComment: (call: ActionCall) =>
          act(call, ({ projectPath, errorId, text }) =>
            call.api.comments.createComment({ projectPath, errorId, text }),
          ),
        updateComment: (call: ActionCall) => act(call, (of) => call.api.comments.updateComment(of)),
        deleteComment: (call: ActionCall) =>
          act(call, ({ projectPath, errorId, commentId }) =>
            call.api.comments.deleteComment({ projectPath, errorId, commentId }),
          ),
      },
    },
  },
} satisfies ServerPart;
