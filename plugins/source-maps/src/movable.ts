import type { Movable } from "@faultline/plugin";

/** Chunks and pages of contents are large: few are read at once. */
const rowsAtOnce = 20;

/** How a move to PostgreSQL copies the plugin's tables. */
export const movable: Movable = {
  tables: [
    { name: "source_chunk", key: ["user_id", "sha1"], refersToCore: true, rowsAtOnce },
    { name: "source_chunk_sum", key: ["user_id"], refersToCore: true },
    { name: "source_bundle", key: ["id"], refersToCore: true },
    { name: "source_artifact", key: ["id"], refersToCore: true },
    { name: "source_debug_id", key: ["project_id", "debug_id", "artifact_id"], refersToCore: true },
    { name: "source_blob", key: ["id"], refersToCore: true },
    { name: "source_blob_page", key: ["blob_id", "page"], refersToCore: true, rowsAtOnce },
    { name: "source_blob_lines", key: ["blob_id"], refersToCore: true, rowsAtOnce },
    { name: "source_blob_use", key: ["artifact_id", "blob_id"], refersToCore: true },
  ],
  // Its triggers on PostgreSQL add it up from what is copied.
  otherTables: { sqlite: ["source_kept"], postgresql: ["source_kept"] },
};
