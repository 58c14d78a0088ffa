const mebibyte = 1024 * 1024;

export const uploadLimits = {
  /** Bytes of a chunk: with the rest of a multipart body it passes nginx's default of 1 MiB. */
  chunkBytes: 512 * 1024,
  /** Bytes of a bundle. */
  bundleBytes: 256 * mebibyte,
  /**
   * Bytes of a user's chunks that wait for their bundles; they count for no project before. Room for one bundle, because clients
   * upload all chunks of a bundle before they name it.
   */
  chunksOfUser: 256 * mebibyte,
  /** Chunks of a user that wait: a build of the largest bundles has half as many. */
  chunkCountOfUser: 4096,
  /** Bundles of a project that wait to be read, including the bundle that is being read. */
  waitingOfProject: 20,
  /** Compressed bytes that the maps of a project take. */
  projectBytes: 4096 * mebibyte,
  /** How long chunks wait. */
  chunkHours: 24,
  /** How long bundles stay that map nothing. */
  unusedDays: 90,
  /** How long the rows of uploads stay that could not be used, and how many of a project. */
  failedHours: 24,
  failedOfProject: 100,
} as const;
