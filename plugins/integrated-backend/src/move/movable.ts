import type { Movable } from "@faultline/plugin";
import { copyEvents } from "./copy-events.ts";

const ofError = { table: "integrated_error", column: "error_id" };
const ofRelease = { table: "integrated_release", column: "release_id" };

/** What `copyEvents` writes. */
const copied = ["integrated_event", "integrated_payload", "integrated_origin", "integrated_usage"];

/** What the integrated backend keeps. Ids of errors stay the same, so that links to them do. */
export const movable: Movable = {
  tables: [
    { name: "integrated_error", key: ["id"] },
    { name: "integrated_hour", key: ["error_id", "hour"], owner: ofError },
    { name: "integrated_user", key: ["error_id", "user"], owner: ofError },
    { name: "integrated_tag", key: ["error_id", "key", "value"], owner: ofError },
    { name: "integrated_tag_key", key: ["error_id", "key"], owner: ofError },
    { name: "integrated_cardinality", key: ["error_id"], owner: ofError },
    { name: "integrated_new_error", key: ["project_id"] },
    { name: "integrated_release", key: ["id"] },
    { name: "integrated_session", key: ["id"] },
    { name: "integrated_session_hour", key: ["release_id", "hour"], owner: ofRelease },
    { name: "integrated_session_user", key: ["release_id", "day", "user"], owner: ofRelease },
    { name: "integrated_session_day", key: ["project_id", "day", "release_id"] },
    { name: "integrated_feedback", key: ["id"] },
  ],
  otherTables: {
    // The last one counts what PostgreSQL counts when it has to know.
    sqlite: [...copied, "integrated_block", "integrated_packed", "integrated_environment"],
    // The last two stay empty before the cut-over: dropped days that are still counted, and messages of a queue.
    postgresql: [...copied, "integrated_expired", "integrated_receipt"],
  },
  copy: copyEvents,
};
