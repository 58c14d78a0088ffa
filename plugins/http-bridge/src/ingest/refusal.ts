/** The HTTP statuses of refused SDK requests. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;

/** The details of a refusal besides its sentence. */
export interface RefusalNotes {
  /** The refused category, as in outcome.proto; the category of the route if undefined. */
  readonly category?: string | undefined;
  /** The reason shown to the project's people, as in outcome.proto; derived from the status if undefined. */
  readonly outcome?: string | undefined;
  /** The valid key that is refused; the key of the request, if any, if undefined. */
  readonly keyId?: number | undefined;
  /** The number of refused items. Default: 1. */
  readonly quantity?: number | undefined;
  /** When to retry. The answer names no time if undefined. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A refused request: its status, a sentence for people, and the causes. Never carries a secret. */
export class IngestRefusal extends Error {
  readonly status: RefusalStatus;
  readonly detail: string;
  readonly causes: readonly string[];
  readonly category: string | undefined;
  readonly outcome: string | undefined;
  readonly keyId: number | undefined;
  readonly quantity: number;
  readonly retryAfterSeconds: number | undefined;

  /** `causes` are sent to the sender. */
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

  /** The same refusal, for only some items. */
  of(category: string, quantity = 1): IngestRefusal {
    const { status, detail, causes, outcome, keyId, retryAfterSeconds } = this;
    return new IngestRefusal(status, detail, causes, { category, outcome, keyId, quantity, retryAfterSeconds });
  }
}

/** The reasons of outcome.proto. A wrong address or method loses no item. */
const outcomeOfStatus: Partial<Record<RefusalStatus, string>> = {
  400: "malformed",
  401: "no_key",
  403: "unknown_key",
  413: "too_large",
  415: "encoding",
  429: "rate_limit",
  503: "unavailable",
};
