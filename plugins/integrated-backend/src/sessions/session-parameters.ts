/** The parameters that store sessions. All but their number are JSON lists of lists. */
export interface SessionParameters {
  /** Updates and aggregates. */
  readonly count: number;
  /** Project, release, environment: each once. */
  readonly releases: string;
  /** An entry per update: project, release, environment, session id, hour, user, sequence, times, status, errors. */
  readonly updates: string;
  /**
   * An entry per aggregate: total, project, release, environment, hour, user, errored, crashed, abnormal, receipt. An
   * aggregate with a receipt counts once; SQLite, which has no queue of several machines, gets no receipts.
   */
  readonly aggregates: string;
}
