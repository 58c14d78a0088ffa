import type { Admission, EventDoor, RateCategory, RateLimit } from "@faultline/plugin";
import type { Visit } from "../visit.ts";
import { IngestRefusal } from "./refusal.ts";

/** The words of each category in `X-Sentry-Rate-Limits`, as the SDKs know them (section 7.2). */
const wordsOf: Readonly<Record<RateCategory, string>> = {
  error: "error;default;security",
  session: "session",
  feedback: "feedback",
};

/** What one request takes from the rate limits of its key and project. */
export class Spending {
  readonly #events: EventDoor;
  readonly #response: Visit["response"];
  readonly #admission: Admission;
  readonly #met = new Map<RateCategory, RateLimit>();

  constructor({ host, response }: Visit, admission: Admission) {
    this.#events = host.events;
    this.#response = response;
    this.#admission = admission;
  }

  /**
   * Takes room for one item; refuses with 429 when there is none. A limit that is used up, or nearly so, is told in
   * the answer, whatever its status: SDKs then stay silent in that category alone.
   */
  take(category: RateCategory): void {
    const limit = this.#events.spend(this.#admission, category);
    if (!limit) return;
    this.#met.set(category, limit);
    this.#announce();
    if (!limit.isExceeded) return;
    const { scope, retryAfterSeconds } = limit;
    const whose = scope === "key" ? "client key" : "project";
    const causes = [`There is room again in ${retryAfterSeconds} s.`];
    throw new IngestRefusal(429, `The rate limit of this ${whose} is reached.`, causes, {
      category,
      retryAfterSeconds,
    });
  }

  /** Four fields and no space: some SDKs read nothing else. */
  #announce(): void {
    const limits = Array.from(this.#met, ([category, { retryAfterSeconds, scope }]) =>
      [retryAfterSeconds, wordsOf[category], scope, "rate_limit"].join(":"),
    );
    this.#response.setHeader("x-sentry-rate-limits", limits.join(","));
  }
}
