import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ErrorSort, ErrorStatus, SavedSearchSchema } from "@faultline/proto";
import type { Generated, Selectable } from "kysely";

/** The table of the migrations, for Kysely. */
export interface Tables {
  saved_search: SavedSearchTable;
}

interface SavedSearchTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  /** Null: it belongs to the project. */
  readonly user_id: number | null;
  /** Orders its list; gaps have no meaning. */
  readonly position: number;
  readonly name: string;
  readonly query: string;
  readonly status: ErrorStatus;
  readonly sort: ErrorSort;
}

export type SavedSearchRow = Selectable<SavedSearchTable>;

export const savedSearchToProto = (row: SavedSearchRow): MessageInitShape<typeof SavedSearchSchema> => ({
  savedSearchId: row.id,
  projectId: row.project_id,
  name: row.name,
  query: row.query,
  status: row.status,
  sort: row.sort,
  shared: row.user_id === null,
});
