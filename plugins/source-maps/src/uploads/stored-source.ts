/** A source of a map, as an artifact's list has it. */
export interface StoredSource {
  /** As the map names it. */
  readonly name: string;
  /** Whether the map's `ignoreList` has it. */
  readonly isIgnored: boolean;
  /** Its text; null where the map lacks it. */
  readonly blobId: number | null;
}
