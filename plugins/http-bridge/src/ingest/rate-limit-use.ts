import type {
  Admission,
  Cost,
  CostAccount,
  CostLimit,
  EventDoor,
  QuotaRefusal,
  RateCategory,
  RateLimit,
} from "@faultline/plugin";
import type { RequestContext } from "../request-context.ts";
import type { Sender } from "./body/sender.ts";
import { IngestRefusal } from "./refusal.ts";

/** The words of each category in `X-Sentry-Rate-Limits`, known to the SDKs (section 7.2). */
const wordsOf: Readonly<Record<RateCategory, string>> = {
  error: "error;default",
  security: "security",
  session: "session",
  feedback: "feedback",
  default: "default",
};

/** A key's limit counts errors and CSP reports together. */
const wordsOfEvents = `${wordsOf.error};${wordsOf.security}`;

/** The refusals of senders that cost too much. */
const tooMuchOf: Readonly<Record<CostLimit["of"], string>> = {
  bytes: "It sends more bytes per second than allowed: send less with each event.",
  ms: "Its requests take too long to read: send less with each event, above all shorter lists.",
};

/** The use of a key's and a project's rate limits by one request. */
export class RateLimitUse implements Sender {
  readonly #events: EventDoor;
  readonly #response: RequestContext["response"];
  readonly #admission: Admission;
  readonly #account: CostAccount;
  readonly #met = new Map<RateCategory, RateLimit>();
  #hasTaken = false;

  constructor({ host, response }: RequestContext, admission: Admission, account: CostAccount = "default") {
    this.#events = host.events;
    this.#response = response;
    this.#admission = admission;
    this.#account = account;
  }

  get projectId(): number {
    return this.#admission.projectId;
  }

  /** Charges the cost of the body, even if it exceeds the limit. */
  charge(cost: Cost): void {
    this.#events.charge(this.#admission, this.#account, cost);
  }

  /** Refuses with 429 while earlier bodies have cost too much. A limit without a category applies to all. */
  checkCost(): void {
    const limit = this.#events.costLimit(this.#admission, this.#account);
    if (!limit) return;
    const { retryAfterSeconds, scope, reason } = limit;
    const words = this.#account === "default" ? "" : wordsOf[this.#account];
    this.#response.setHeader("x-sentry-rate-limits", [retryAfterSeconds, words, scope, reason].join(":"));
    throw limitReached(limit, [tooMuchOf[limit.of]]);
  }

  /**
   * Takes room for one item, or for an item that represents `count`; refuses with 429 if there is none. The answer,
   * with any status, names a limit that is nearly or fully used, so that SDKs pause only that category.
   */
  take(category: RateCategory, count = 1): void {
    this.#hasTaken = true;
    const limit = this.#events.spend(this.#admission, category, count);
    if (!limit) return;
    this.#met.set(category, limit);
    this.#announce();
    if (!limit.isExceeded) return;
    throw limitReached(limit, [], category);
  }

  /** Takes room for a request that has taken none, because none of its items is stored. */
  takeRequest(): void {
    if (!this.#hasTaken) this.take("default");
  }

  /** Four fields without spaces, the only form that some SDKs read. */
  #announce(): void {
    const limits = Array.from(this.#met, ([category, { retryAfterSeconds, scope, reason }]) => {
      const words = reason === "key_limit" ? wordsOfEvents : wordsOf[category];
      return [retryAfterSeconds, words, scope, reason].join(":");
    });
    this.#response.setHeader("x-sentry-rate-limits", limits.join(","));
  }
}

/** Pauses SDKs for as long as the project has no room to store more. */
export function announceQuota(
  response: RequestContext["response"],
  { retryAfterSeconds, outcome }: QuotaRefusal,
): void {
  const categories = [wordsOf.error, wordsOf.security, wordsOf.session, wordsOf.feedback].join(";");
  response.setHeader("x-sentry-rate-limits", `${retryAfterSeconds}:${categories}:project:${outcome}`);
}

function limitReached(limit: RateLimit, why: string[], category?: RateCategory): IngestRefusal {
  const { scope, retryAfterSeconds, reason } = limit;
  const detail =
    reason === "key_limit"
      ? "This client key has reached its limit."
      : `This ${scope === "key" ? "client key" : "project"} has reached its rate limit.`;
  const causes = [...why, `Send again in ${retryAfterSeconds} s.`];
  return new IngestRefusal(429, detail, causes, { category, outcome: reason, retryAfterSeconds });
}
