import type { Movable } from "@faultline/plugin";
import { copyEvents } from "./copy-events.ts";

const ofError = { table: "integrated_error", column: "error_id" };
const ofRelease = { table: "integrated_release", column: "release_id" };

/** The tables that `copyEvents` writes. */
const copied = ["integrated_event", "integrated_payload", "integrated_origin", "integrated_usage"];
/** The index of searches. Triggers of PostgreSQL mark copied errors as due, and the service indexes them. */
const searched = ["integrated_search", "integrated_search_due", "integrated_search_fill", "integrated_tag_error"];

/** Counts by user and tag, which the service counts again from the moved events. */
const counted = ["integrated_count", "integrated_uncounted"];
/** The values that plugins ask for. Plugins ask again, and would treat each copied value as new. */
const asked = "error_change_value";

/** The data of the integrated backend. Errors keep their ids, so that links to them remain valid. */
export const movable: Movable = {
  tables: [
    { name: "integrated_version_1", key: ["project_id"] }, // before the errors: their trigger adds missing rows
    { name: "integrated_error", key: ["id"] },
    { name: "integrated_hour", key: ["error_id", "hour"], owner: ofError },
    { name: "integrated_user", key: ["error_id", "user"], owner: ofError },
    { name: "integrated_tag", key: ["error_id", "key", "value"], owner: ofError },
    { name: "integrated_tag_key", key: ["error_id", "key"], owner: ofError },
    { name: "integrated_cardinality", key: ["error_id"], owner: ofError },
    { name: "integrated_level", key: ["error_id", "level"], owner: ofError },
    { name: "integrated_sampled_out", key: ["project_id", "error_id", "day"] },
    { name: "integrated_new_error", key: ["project_id"] },
    { name: "integrated_release", key: ["id"] },
    { name: "integrated_session", key: ["id"] },
    { name: "integrated_session_hour", key: ["release_id", "hour"], owner: ofRelease },
    { name: "integrated_session_user", key: ["release_id", "day", "user"], owner: ofRelease },
    { name: "integrated_session_day", key: ["project_id", "day", "release_id"] },
    { name: "integrated_feedback", key: ["id"] },
    { name: "integrated_deletion", key: ["id"] },
    { name: "integrated_deletion_error", key: ["project_id", "deletion_id", "error_id"] },
    { name: "integrated_alias", key: ["project_id", "group_hash"] },
    { name: "integrated_claim", key: ["project_id", "former_hash"] },
    { name: "integrated_split", key: ["project_id", "group_hash"] },
    { name: "integrated_untagged", key: ["project_id"] },
    { name: "integrated_discard", key: ["id"] },
    { name: "integrated_discard_hour", key: ["project_id", "discard_id", "hour"] },
    { name: "integrated_discard_sample", key: ["project_id", "discard_id", "day"], rowsAtOnce: 20 },
  ],
  otherTables: {
    // The last table counts rows that PostgreSQL counts on demand.
    sqlite: [
      ...copied,
      ...counted,
      "integrated_block",
      "integrated_packed",
      ...searched,
      "integrated_search_term", // FTS5's view of its index
      ...["data", "idx", "docsize", "config"].map((part) => `integrated_search_${part}`), // FTS5's own
      "integrated_environment",
      asked,
    ],
    // The last two are empty before the cut-over: dropped days that are still counted, and messages of a queue.
    postgresql: [
      ...copied,
      ...counted,
      "integrated_uncounted_batch",
      ...searched,
      "integrated_expired",
      "integrated_receipt",
      asked,
    ],
  },
  copy: copyEvents,
};
