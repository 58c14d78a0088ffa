import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/**
 * Far more than the pages that anybody keeps open. Each watch holds memory, and its right is checked twice a second.
 */
const mostPerUser = 100;

/** Counts the watching calls of each user. */
export class OpenWatches {
  readonly #counts = new Map<number, number>();

  /** Counts one more watch until the returned function is called; refuses with LIMIT_REACHED. */
  begin(userId: number): () => void {
    const count = this.#counts.get(userId) ?? 0;
    if (count >= mostPerUser) {
      throw new ServiceError(
        ErrorReason.LIMIT_REACHED,
        `You have ${mostPerUser} pages or programs open that receive live updates. Close some of them.`,
      );
    }
    this.#counts.set(userId, count + 1);
    return () => {
      const left = (this.#counts.get(userId) ?? 0) - 1;
      if (left > 0) this.#counts.set(userId, left);
      else this.#counts.delete(userId);
    };
  }
}
