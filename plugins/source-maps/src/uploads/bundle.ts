import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import { ArtifactBundleState, type ArtifactBundleSchema } from "@faultline/proto";
import type { Selectable } from "kysely";
import type { BundleTable } from "../tables.ts";

/** A bundle with the name of who uploaded it; null where that user is deleted. */
export type BundleRow = Selectable<BundleTable> & { readonly username: string | null };

export function bundleToProto(row: BundleRow): MessageInitShape<typeof ArtifactBundleSchema> {
  return {
    bundleId: Number(row.id),
    projectId: Number(row.project_id),
    checksum: row.checksum.toString("hex"),
    release: row.release,
    dist: row.dist,
    state: row.state,
    detail: row.state === ArtifactBundleState.ERROR ? row.detail : "",
    warnings: JSON.parse(row.warnings) as string[], // as the plugin stored it
    fileCount: Number(row.file_count),
    mappedFileCount: Number(row.mapped_file_count),
    storedBytes: BigInt(row.stored_bytes),
    createdTime: timestamp(Number(row.created_at)),
    ...(row.used_at !== null && { lastUsedTime: timestamp(Number(row.used_at)) }),
    createdBy: row.username ?? "",
    ...(row.groups_since !== null && { groupingSinceTime: timestamp(Number(row.groups_since)) }),
    kind: row.kind,
    debugIds: JSON.parse(row.debug_ids) as string[], // as the plugin stored it
  };
}
