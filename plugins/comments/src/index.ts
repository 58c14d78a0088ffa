import { contractVersion, type HandleErrorTransitions, type KeptBesideEvents, type Plugin } from "@faultline/plugin";
import { ErrorService } from "@faultline/proto";
import { commentService } from "./comment-service.ts";
import { notifies } from "./mentions.ts";
import * as operations from "./rest.ts";
import { commentActivity, migrations, type Tables } from "./store.ts";

/** Comments on errors in Markdown, with earlier texts, and with mentions that reach people's inboxes. */
export const comments = (): Plugin => ({
  name: "comments",
  contract: contractVersion,
  migrations,
  movable: {
    tables: [
      { name: "comments_comment", key: ["id"], refersToCore: true },
      { name: "comments_version", key: ["comment_id", "version"], refersToCore: true },
    ],
    otherTables: { sqlite: [], postgresql: [] },
  },
  keeps,
  errorTransitions: () => deleteWithErrors,
  activity: commentActivity,
  notifies,
  services: [commentService],
  calls: [ErrorService.method.getError],
  rest: Object.values(operations),
});

/** The service never evicts comments, because people wrote them. A project beyond its quota gets no new comments. */
const keeps: KeptBesideEvents = {
  async usage({ database }) {
    const rows = await database
      .read<Tables>()
      .selectFrom("comments_comment")
      .select(["project_id", ({ fn }) => fn.sum<number | string>("bytes").as("bytes")])
      .groupBy("project_id")
      .execute();
    return rows.map(({ project_id, bytes }) => ({ projectId: Number(project_id), bytes: Number(bytes) }));
  },
  evict: async () => ({ count: 0, next: "none" }),
};

/** Keeps the comments of a deleted error until the error is erased, because the error may return. */
const deleteWithErrors: HandleErrorTransitions = async (transitions, transaction) => {
  const erased = transitions.filter(({ kind }) => kind === "erased");
  for (const [projectId, errors] of Map.groupBy(erased, (transition) => transition.projectId)) {
    await transaction
      .write<Tables>()
      .deleteFrom("comments_comment")
      .where("project_id", "=", projectId)
      .where(
        "error_id",
        "in",
        errors.map(({ errorId }) => errorId),
      )
      .execute();
  }
};
