import type { Host } from "./host/host.ts";

/**
 * Data that a plugin keeps of each project, if callers choose the size or number of its rows. It counts toward the
 * project's limit of bytes kept, like events.
 */
export interface KeptBesideEvents {
  /**
   * Bytes by project. Projects without bytes may be left out. Read every second in each process, so it must read sums
   * and not contents.
   */
  usage(host: Host): Promise<readonly KeptBytes[]>;
  /**
   * Deletes about this many bytes of a project, the least recently used first: one slice, so small that storing waits
   * only some tens of milliseconds. Only one process of the installation calls it at a time.
   */
  evict(host: Host, projectId: number, bytes: number): Promise<Evicted>;
  /**
   * The most bytes in a project without a limit of bytes kept; the rest is deleted. Undefined if the plugin limits
   * them.
   */
  readonly mostWithoutLimit?: number;
}

export interface KeptBytes {
  readonly projectId: number;
  readonly bytes: number;
}

/** The result of a slice of an eviction. */
export interface Evicted {
  /** The number of deleted things. 0 if this slice only looked for them. */
  readonly count: number;
  /**
   * `none`: nothing is left that may be deleted. `later`: some is left, but not deletable now; the next second tries
   * again.
   */
  readonly next: "more" | "later" | "none";
}
