/** The HTTP statuses with which a request of an SDK is refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;

/** A request that is not taken: its status, a sentence for people, and what led to it. Never carries a secret. */
export class IngestRefusal extends Error {
  readonly status: RefusalStatus;
  readonly detail: string;
  readonly causes: readonly string[];

  constructor(status: RefusalStatus, detail: string, causes: readonly string[] = []) {
    super(causes.length > 0 ? `${detail} ${causes.join(" ")}` : detail);
    this.name = "IngestRefusal";
    this.status = status;
    this.detail = detail;
    this.causes = causes;
  }
}
