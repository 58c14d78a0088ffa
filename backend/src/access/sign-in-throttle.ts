import { hash } from "node:crypto";
import type { Clock } from "@faultline/plugin";

const windowMs = 60_000;
const attempts = 10;
const namesKept = 10_000;

/**
 * Bounds the failed sign-ins of one user name to 10 a minute. An attempt counts from its beginning, so that many at once
 * are bounded too. In memory: a restart forgives.
 */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #attempts = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBlocked(username: string): boolean {
    return this.#recent(username).length >= attempts;
  }

  began(username: string): void {
    if (this.#attempts.size >= namesKept) this.#attempts.clear();
    this.#attempts.set(keyOf(username), [...this.#recent(username), this.#clock.now()]);
  }

  succeeded(username: string): void {
    this.#attempts.delete(keyOf(username));
  }

  #recent(username: string): number[] {
    const since = this.#clock.now() - windowMs;
    return (this.#attempts.get(keyOf(username)) ?? []).filter((at) => at > since);
  }
}

/** A name as it is remembered: names come from anybody and may be megabytes long. */
function keyOf(username: string): string {
  return hash("sha256", username.toLowerCase(), "base64url");
}
