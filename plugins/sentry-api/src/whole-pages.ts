import { ServiceError } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

/** Pages of one token that wait; more are refused. */
const waitingOfToken = 5;

const retryAfterSeconds = 3;

/**
 * Pages of whole events take turns, one of a token at a time: a page of 2 MB takes 50 ms of the event loop, and a multiple of its bytes in
 * memory while it is built.
 */
const pages = new FairQueue({
  atOnce: 2,
  ofOwner: 1,
  waitingOfOwner: waitingOfToken,
  refusal: () =>
    new ServiceError(
      ErrorReason.TOO_MANY_ATTEMPTS,
      `Your token has ${waitingOfToken + 1} pages of whole events under way. Wait until one of them has ended.`,
      { retryAfterSeconds },
    ),
});

/** Builds a page of whole events at its turn. Refuses with TOO_MANY_ATTEMPTS if too many pages of the token wait. */
export function wholePage<T>({ token = "", signal }: ApiCall, build: () => Promise<T>): Promise<T> {
  const left = () => new ServiceError(ErrorReason.OVERLOADED, "The caller left before the answer was there.");
  return pages.run({ owners: [token], signal, left }, build);
}
