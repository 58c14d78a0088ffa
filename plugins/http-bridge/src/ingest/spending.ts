import type { Admission, Cost, CostLimit, EventDoor, QuotaRefusal, RateCategory, RateLimit } from "@faultline/plugin";
import type { Visit } from "../visit.ts";
import type { Sender } from "./body/sender.ts";
import { IngestRefusal } from "./refusal.ts";

/** The words of each category in `X-Sentry-Rate-Limits`, as the SDKs know them (section 7.2). */
const wordsOf: Readonly<Record<RateCategory, string>> = {
  error: "error;default;security",
  session: "session",
  feedback: "feedback",
  default: "default",
};

/** What a sender that costs too much is told. */
const tooMuchOf: Readonly<Record<CostLimit["of"], string>> = {
  bytes: "It sends more bytes than may come in a second: send less with each event.",
  ms: "What it sends takes too long to read: send less with each event, shorter lists above all.",
};

/** What one request takes from the rate limits of its key and project. */
export class Spending implements Sender {
  readonly #events: EventDoor;
  readonly #response: Visit["response"];
  readonly #admission: Admission;
  readonly #met = new Map<RateCategory, RateLimit>();
  #hasTaken = false;

  constructor({ host, response }: Visit, admission: Admission) {
    this.#events = host.events;
    this.#response = response;
    this.#admission = admission;
  }

  get projectId(): number {
    return this.#admission.projectId;
  }

  /** Takes what the body costs, even when that is more than there is. */
  charge(cost: Cost): void {
    this.#events.charge(this.#admission, cost);
  }

  /** Refuses with 429 while the bodies sent before cost more than they may. A limit that names no category holds for all. */
  checkCost(): void {
    const limit = this.#events.costLimit(this.#admission);
    if (!limit) return;
    this.#response.setHeader("x-sentry-rate-limits", `${limit.retryAfterSeconds}::${limit.scope}:rate_limit`);
    throw limitReached(limit, [tooMuchOf[limit.of]]);
  }

  /**
   * Takes room for one item; refuses with 429 when there is none. A limit that is used up, or nearly so, is told in
   * the answer, whatever its status: SDKs then stay silent in that category alone.
   */
  take(category: RateCategory): void {
    this.#hasTaken = true;
    const limit = this.#events.spend(this.#admission, category);
    if (!limit) return;
    this.#met.set(category, limit);
    this.#announce();
    if (!limit.isExceeded) return;
    throw limitReached(limit, [], category);
  }

  /** Takes room for a request that has taken none, as it brought only items that are not kept. */
  takeRequest(): void {
    if (!this.#hasTaken) this.take("default");
  }

  /** Four fields and no space: some SDKs read nothing else. */
  #announce(): void {
    const limits = Array.from(this.#met, ([category, { retryAfterSeconds, scope }]) =>
      [retryAfterSeconds, wordsOf[category], scope, "rate_limit"].join(":"),
    );
    this.#response.setHeader("x-sentry-rate-limits", limits.join(","));
  }
}

/** Lets SDKs be silent for as long as the project has no room for what it would store. */
export function announceQuota(response: Visit["response"], { retryAfterSeconds, outcome }: QuotaRefusal): void {
  const categories = [wordsOf.error, wordsOf.session, wordsOf.feedback].join(";");
  response.setHeader("x-sentry-rate-limits", `${retryAfterSeconds}:${categories}:project:${outcome}`);
}

function limitReached({ scope, retryAfterSeconds }: RateLimit, why: string[], category?: RateCategory): IngestRefusal {
  const whose = scope === "key" ? "client key" : "project";
  const causes = [...why, `There is room again in ${retryAfterSeconds} s.`];
  return new IngestRefusal(429, `The rate limit of this ${whose} is reached.`, causes, { category, retryAfterSeconds });
}
