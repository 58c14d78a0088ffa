/** What stores sessions. All but their number are JSON lists of lists. */
export interface SessionParameters {
  /** Updates and aggregates. */
  readonly count: number;
  /** Project, release, environment: each once. */
  readonly releases: string;
  /** An entry an update: project, release, environment, session id, hour, user, sequence, times, status, errors. */
  readonly updates: string;
  /**
   * An entry an aggregate: total, project, release, environment, hour, user, errored, crashed, abnormal, receipt. A receipt
   * that is not null counts once; SQLite, which no queue of several machines stores into, is given none.
   */
  readonly aggregates: string;
}
