import { ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

const windowMs = 60_000;
/** Far more than a person selects Connect, and too few to search a network by. */
const perUser = 30;

/** Bounds how often a user asks external systems for their projects. In memory: a restart forgives. */
export class LookupThrottle {
  readonly #clock: Clock;
  /** When the lookups of the last minute began, of each user who asked in it. */
  readonly #lookups = new Map<number, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a lookup or refuses it with TOO_MANY_ATTEMPTS; refused ones do not count. */
  begin(userId: number): void {
    const now = this.#clock.now();
    // After the clock jumped back, what was noted before it would count for longer than the minute.
    const isRecent = (at: number) => at > now - windowMs && at <= now;
    const recent = (this.#lookups.get(userId) ?? []).filter(isRecent);
    if (recent.length >= perUser) {
      throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, "Too many attempts. Try again in a minute.");
    }
    this.#lookups.set(userId, [...recent, now]);
  }
}
