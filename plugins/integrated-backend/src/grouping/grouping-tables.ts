// Which groups belong to which errors, where it is not the error with their hash.

/** That the events of a group belong to the error of another one; see Aliases. */
export interface AliasTable {
  project_id: number;
  group_hash: Buffer;
  of_group_hash: Buffer;
  created_at: number;
}

/** Which error took the events of a group of version 1, and under which group of version 2. */
export interface ClaimTable {
  project_id: number;
  former_hash: Buffer;
  group_hash: Buffer;
  error_id: number;
  /** The error of the group of version 1, where another one took its events. */
  joined_error_id: number | null;
  claimed_at: number;
}

/** In which error the events of a group were counted before it got one of its own. */
export interface SplitTable {
  project_id: number;
  group_hash: Buffer;
  /** Null until an event of the group is stored. */
  error_id: number | null;
  from_error_id: number;
  split_at: number;
}
