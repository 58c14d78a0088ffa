import { ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** How often something may be done, and the sentence of the refusal. */
interface Limit {
  readonly atMost: number;
  readonly withinMs: number;
  readonly refusal: string;
}

/** Limits the tests of a project's channels. */
export const channelTests: Limit = {
  atMost: 5,
  withinMs: 60_000,
  refusal: "A project can send at most 5 tests per minute. Wait a minute.",
};

/** Limits the actions of a project or a person, by its id, counted in this process. */
export class RecentLimit {
  readonly #clock: Clock;
  readonly #limit: Limit;
  readonly #times = new Map<number, number[]>();

  constructor(clock: Clock, limit: Limit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts one more action, or refuses it with LIMIT_REACHED. */
  spend(id: number): void {
    const { atMost, withinMs, refusal } = this.#limit;
    const now = this.#clock.now();
    for (const [key, times] of this.#times) {
      if (times.every((time) => time <= now - withinMs)) this.#times.delete(key);
    }
    const recent = (this.#times.get(id) ?? []).filter((time) => time > now - withinMs);
    if (recent.length >= atMost) throw new ServiceError(ErrorReason.LIMIT_REACHED, refusal);
    this.#times.set(id, [...recent, now]);
  }
}
