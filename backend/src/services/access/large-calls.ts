import { ServiceError } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { CoreCall } from "./guard.ts";

/** Large calls that run at once: each may keep the event loop and a database reader busy for a second. */
const atOnce = 2;

/** Large calls of one person that wait; more are refused. */
const waitingOfPerson = 5;

const retryAfterSeconds = 3;

/** Runs the calls of methods with the option `large`, see role.proto. */
export class LargeCalls {
  readonly #queue = new FairQueue({
    atOnce,
    ofOwner: 1,
    waitingOfOwner: waitingOfPerson,
    refusal: () =>
      new ServiceError(
        ErrorReason.TOO_MANY_ATTEMPTS,
        `You have ${waitingOfPerson + 1} large calls in progress. Wait until one of them has ended.`,
        { retryAfterSeconds },
      ),
  });

  /** Runs a call at its turn. Refuses with TOO_MANY_ATTEMPTS where too many calls of the person wait. */
  run<T>({ caller, grant, signal }: CoreCall, task: () => Promise<T>): Promise<T> {
    const left = () => new ServiceError(ErrorReason.OVERLOADED, "The caller disconnected before the answer was ready.");
    return this.#queue.run({ owners: [`user ${caller.user.id}`, `project ${grant.project.id}`], signal, left }, task);
  }
}
