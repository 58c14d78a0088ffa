import type { Host } from "./host/host.ts";

/**
 * Data that a plugin keeps of each project in rows of a size, or in a number, that a caller chooses. It counts for the project's limit
 * of bytes kept as events do.
 */
export interface KeptBesideEvents {
  /**
   * Bytes by project; projects without any may be left out. Read each second in each process, so it reads sums, and no
   * contents.
   */
  usage(host: Host): Promise<readonly KeptBytes[]>;
  /**
   * Deletes about this many bytes of a project, what was not used for longest first: one slice, so small that storing waits only some
   * tens of milliseconds. One process of the installation calls it at a time.
   */
  evict(host: Host, projectId: number, bytes: number): Promise<Evicted>;
  /** Bytes of a project that has no limit of bytes kept; the rest is deleted. Undefined if the plugin bounds them itself. */
  readonly mostWithoutLimit?: number;
}

export interface KeptBytes {
  readonly projectId: number;
  readonly bytes: number;
}

/** The result of a slice of an eviction. */
export interface Evicted {
  /** How many things were deleted. 0: this slice only looked for them. */
  readonly count: number;
  /** `none`: nothing is left that may be deleted. `later`: some is, and not now; the next second tries again. */
  readonly next: "more" | "later" | "none";
}
