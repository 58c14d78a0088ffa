import { FairQueue, type Turn } from "@faultline/plugin/flow";
import { ServiceError } from "@faultline/plugin";
import { BundleError } from "../bundle/bundle-error.ts";
import { MapError } from "../mapping/map-limits.ts";

/** A limit that an upload exceeds, or a part that it lacks. */
export class UploadFault extends Error {}

/** The sentence for a person about what is wrong with an upload; undefined if the fault is ours. */
export function uploadFault(error: unknown): string | undefined {
  const isTheirs =
    error instanceof ServiceError ||
    error instanceof UploadFault ||
    error instanceof BundleError ||
    error instanceof MapError;
  return isTheirs ? error.message : undefined;
}

/** The reading of a bundle. Each step says how many files it dealt with, and takes some milliseconds, seldom seconds. */
export type ReadingSteps<Result = void> = AsyncGenerator<number, Result>;

/** Milliseconds of any clock, and how many of them the reading rested. */
export interface WorkTime {
  now(): number;
  restedMs(): number;
}

/** A turn ends with the step that reaches either. */
const turn = { files: 64, ms: 2_000 };

/** Work for one bundle, without rests: 20,000 files take three minutes on an idle service. */
const mostMinutes = 10;

/**
 * Bundles with a place in memory. A bundle of 20,000 files with long names takes 12 MiB, and 4 MiB of its chunks. One person has half
 * of them, so that nobody alone keeps others waiting until whole bundles are read.
 */
const held = { atOnce: 4, ofOwner: 2 };

/** Lets the owners of bundles take turns in one lane, whatever the size of their bundles. */
export class ReadingTurns {
  readonly #places = new FairQueue(held);
  readonly #lane = new FairQueue({ atOnce: 1 });
  readonly #time: WorkTime;

  constructor(time: WorkTime) {
    this.#time = time;
  }

  /**
   * Takes the steps of a bundle, some at each turn. `begin` is called when the bundle gets its place. After ten minutes of work an
   * UploadFault is thrown into the steps.
   */
  read(owners: Turn["owners"], begin: () => ReadingSteps): Promise<void> {
    return this.#places.run({ owners }, () => {
      const reading = { steps: begin(), workedMs: 0 };
      return new Promise<void>((resolve, reject) => {
        const take = (): Promise<void> =>
          this.#lane.run({ owners }, async () => {
            if (await this.#turn(reading)) resolve();
            else take().catch(reject); // waits before this turn ends: otherwise another bundle of the owner would come first
          });
        take().catch(reject);
      });
    });
  }

  /** Runs something else when its turn comes, while no step runs. */
  between(task: () => Promise<void>): Promise<void> {
    return this.#lane.run({ owners: ["between"] }, task);
  }

  /** Takes the steps of a turn; whether they were the last. */
  async #turn(reading: { readonly steps: ReadingSteps; workedMs: number }): Promise<boolean> {
    const [begunAt, restedBefore] = [this.#time.now(), this.#time.restedMs()];
    for (let files = 0; ;) {
      const { done, value } = await reading.steps.next();
      if (done === true) return true;
      files += value;
      const passedMs = this.#time.now() - begunAt;
      const workedMs = reading.workedMs + passedMs - (this.#time.restedMs() - restedBefore);
      if (workedMs >= mostMinutes * 60_000) return (await reading.steps.throw(tooSlow())).done === true;
      if (files < turn.files && passedMs < turn.ms) continue;
      reading.workedMs = workedMs;
      return false;
    }
  }
}

const tooSlow = () =>
  new UploadFault(
    `Reading the upload takes more than ${mostMinutes} minutes of work. Upload its files in several bundles.`,
  );
