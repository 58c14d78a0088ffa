import type { Clock } from "@faultline/plugin";

const windowMs = 60_000;
const attempts = 10;
const namesKept = 10_000;

/** Bounds the failed sign-ins of one user name to 10 a minute. In memory: a restart forgives. */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBlocked(username: string): boolean {
    return this.#recent(username).length >= attempts;
  }

  failed(username: string): void {
    if (this.#failures.size >= namesKept) this.#failures.clear();
    this.#failures.set(username.toLowerCase(), [...this.#recent(username), this.#clock.now()]);
  }

  succeeded(username: string): void {
    this.#failures.delete(username.toLowerCase());
  }

  #recent(username: string): number[] {
    const since = this.#clock.now() - windowMs;
    return (this.#failures.get(username.toLowerCase()) ?? []).filter((at) => at > since);
  }
}
