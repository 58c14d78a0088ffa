/** The remembered state of a group. */
export interface Group {
  /** The error. Undefined: its events made none yet. */
  readonly errorId: number | undefined;
  /** Of its project. Undefined: it had no new error yet. */
  readonly counter: NewErrorCounter | undefined;
}

/** The number of a project's recent new errors. */
export interface NewErrorCounter {
  readonly day: number;
  readonly errorCount: number;
  readonly usedUntil: number;
}
