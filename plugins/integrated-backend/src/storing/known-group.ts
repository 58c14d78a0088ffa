/** What is known of a group. */
export interface Group {
  readonly isStored: boolean;
  /** Of its project. Undefined: it had no new error yet. */
  readonly counter: NewErrorCounter | undefined;
}

/** How many errors of a project came to be lately. */
export interface NewErrorCounter {
  readonly day: number;
  readonly errorCount: number;
  readonly usedUntil: number;
}
