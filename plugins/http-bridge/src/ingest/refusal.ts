/** The HTTP statuses with which a request of an SDK is refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;

/** What goes with a refusal beside its words. */
export interface RefusalNotes {
  /** What was refused, as in outcome.proto. Absent: what the route takes. */
  readonly category?: string | undefined;
  /** The word for the project's people, as in outcome.proto. Absent: by the status. */
  readonly outcome?: string | undefined;
  /** The right key that is not taken now. Absent: that of the request, if any. */
  readonly keyId?: number | undefined;
  /** How many items were refused. Default: 1. */
  readonly quantity?: number | undefined;
  /** When it may come again. Absent: no time is told. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A request that is not taken: its status, a sentence for people, and what led to it. Never carries a secret. */
export class IngestRefusal extends Error {
  readonly status: RefusalStatus;
  readonly detail: string;
  readonly causes: readonly string[];
  readonly category: string | undefined;
  readonly outcome: string | undefined;
  readonly keyId: number | undefined;
  readonly quantity: number;
  readonly retryAfterSeconds: number | undefined;

  /** `causes`: what led to it, for the sender. */
  constructor(status: RefusalStatus, detail: string, causes: readonly string[] = [], notes: RefusalNotes = {}) {
    const { category, outcome, keyId, quantity = 1, retryAfterSeconds } = notes;
    super(causes.length > 0 ? `${detail} ${causes.join(" ")}` : detail);
    this.name = "IngestRefusal";
    this.status = status;
    this.detail = detail;
    this.causes = causes;
    this.category = category;
    this.outcome = outcome ?? outcomeOfStatus[status];
    this.keyId = keyId;
    this.quantity = quantity;
    this.retryAfterSeconds = retryAfterSeconds ?? (status === 503 ? 30 : undefined);
  }

  /** The same refusal, of some items. */
  of(category: string, quantity = 1): IngestRefusal {
    const { status, detail, causes, outcome, keyId, retryAfterSeconds } = this;
    return new IngestRefusal(status, detail, causes, { category, outcome, keyId, quantity, retryAfterSeconds });
  }
}

/** The words of outcome.proto; a wrong address or method is no loss of anything. */
const outcomeOfStatus: Partial<Record<RefusalStatus, string>> = {
  400: "malformed",
  401: "no_key",
  403: "unknown_key",
  413: "too_large",
  415: "malformed",
  429: "rate_limit",
  503: "unavailable",
};
