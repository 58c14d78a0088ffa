import type { ArtifactBundleKind, ArtifactBundleState } from "@faultline/proto";
import type { Generated } from "kysely";

/** The tables that the plugin reads and writes. */
export interface Tables {
  source_chunk: ChunkTable;
  source_chunk_sum: ChunkSumTable;
  source_bundle: BundleTable;
  source_artifact: ArtifactTable;
  source_debug_id: DebugIdTable;
  source_blob: BlobTable;
  source_blob_page: BlobPageTable;
  source_blob_use: BlobUseTable;
  source_blob_lines: BlobLinesTable;
  source_kept: KeptTable;
  user: { id: number; username: string };
}

/** A part of a bundle that a user uploaded. */
export interface ChunkTable {
  user_id: number;
  sha1: Buffer;
  content: Buffer;
  size: number;
  created_at: number;
}

/** The bytes and number of a user's chunks. A user without a row has none. */
export interface ChunkSumTable {
  user_id: number;
  bytes: number;
  chunk_count: number;
}

/** An upload for a project. */
export interface BundleTable {
  id: Generated<number>;
  project_id: number;
  user_id: number | null;
  checksum: Buffer;
  release: string;
  dist: string;
  /** JSON list of the SHA-1 of its chunks, hexadecimal, in order; empty once it is read. */
  chunks: string;
  state: ArtifactBundleState;
  detail: string;
  /** JSON list of sentences. */
  warnings: string;
  file_count: number;
  mapped_file_count: number;
  stored_bytes: number;
  created_at: number;
  used_at: number | null;
  /** Since when events are grouped by what it maps; null: not yet, or it maps nothing. */
  groups_since: number | null;
  kind: ArtifactBundleKind;
  /** JSON list of the UUIDs by which events name a mapping, as its upload gave them; empty for source maps. */
  debug_ids: string;
}

/** A bundle's map of a minified file, or a mapping of ProGuard or R8. */
export type ArtifactKind = "mapped" | "source_only" | "map_only" | "map_refused" | "proguard";

/** A minified file of a bundle with the index of its map, the half of such a pair, or a mapping. */
export interface ArtifactTable {
  id: Generated<number>;
  project_id: number;
  bundle_id: number;
  /** The address of the minified file, such as `~/assets/app.js`; the address of the map if only that is known; the UUID of a mapping. */
  url: string;
  kind: ArtifactKind;
  /** The blobs of the index and of the list of sources; null unless it is mapped. A mapping has no sources. */
  index_blob_id: number | null;
  sources_blob_id: number | null;
  /** Why its map was refused; empty if it was not. */
  detail: string;
  /** About the bytes of this row and of the rows that refer to it. */
  row_bytes: Generated<number>;
}

export interface DebugIdTable {
  project_id: number;
  /** 16 bytes. */
  debug_id: Buffer;
  artifact_id: number;
}

/**
 * A content that is stored once for a project, in compressed pages. It does not go with its project, which would delete
 * gigabytes in one statement: `deleteOld` finds it when no artifact needs it any more.
 */
export interface BlobTable {
  id: Generated<number>;
  project_id: number;
  /** SHA-256. */
  digest: Buffer;
  size: number;
  /** 0 while its pages are written. */
  is_complete: number;
}

export interface BlobPageTable {
  blob_id: number;
  page: number;
  /** Zstandard. */
  content: Buffer;
}

/** That an artifact needs a blob, which is deleted with the last of them. */
export interface BlobUseTable {
  artifact_id: number;
  blob_id: number;
}

/** The bytes that are kept of a project: contents and rows. Triggers add them up, see source-maps-0007. */
export interface KeptTable {
  project_id: number;
  bytes: number;
}

/** The index of lines of a source with more than one slice. A missing row is made when the source is first read. */
export interface BlobLinesTable {
  blob_id: number;
  /** Of a LineIndex. */
  places: Buffer;
}
