import { ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { clientNetwork } from "@faultline/plugin";
import { RecentTimes } from "@faultline/plugin/flow";

const windowMs = 60_000;
const perNetwork = 20;

/**
 * Counts unknown tokens by the network that sent them. Tokens are looked up first, so a right one is never refused for
 * the wrong ones of its neighbours: only the answer to a further wrong one changes. In memory, per process.
 */
export class WrongTokens {
  readonly #times: RecentTimes;

  constructor(clock: Clock) {
    this.#times = new RecentTimes(clock, { windowMs, timesKept: perNetwork });
  }

  /**
   * Counts a wrong token, or refuses with TOO_MANY_ATTEMPTS when 20 came within the last minute; refused ones do not
   * count.
   */
  count(clientAddress: string): void {
    const network = clientNetwork(clientAddress);
    if (this.#times.of(network).length < perNetwork) {
      this.#times.note(network);
      return;
    }
    throw new ServiceError(
      ErrorReason.TOO_MANY_ATTEMPTS,
      `${perNetwork} invalid tokens came from your network within a minute. Check the token before you try again; a valid token is accepted at any time.`,
      { retryAfterSeconds: this.#times.secondsUntilFewer(network) },
    );
  }
}
