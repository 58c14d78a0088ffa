import type { IngestQueue, Intake, Plugin, ReadHeads } from "@faultline/plugin";
import type { State } from "../../services/open-state.ts";
import { weightsOf } from "../../services/quotas/weight.ts";
import type { Storage } from "../../storage/open-storage.ts";
import { measuredStore, measureAcceptance } from "../metrics/ingestion.ts";
import type { Telemetry } from "../open-telemetry.ts";
import { tracedIngestion } from "../tracing/ingestion.ts";
import { datedIntake } from "./dated-intake.ts";
import { packedIntake } from "./packed-intake.ts";

type StoreBatch = (intake: Intake) => Promise<void>;

interface Parts {
  readonly telemetry: Telemetry;
  readonly storage: Storage;
  readonly state: State;
  readonly plugins: readonly Plugin[];
}

/**
 * The steps of an accepted intake, in their order, up to the queue that acknowledges it; and those of a batch on its way
 * to the backend. Between the two lies the queue: the group commit of one process, or that of several machines.
 *
 * The steps of an acceptance are one function that awaits once, for the queue: each further await would cost every event
 * a promise and a pass through the microtasks.
 */
export function pipeline({ telemetry: { metrics, tracing }, storage: { ages }, state: { quotas }, plugins }: Parts) {
  const readers = plugins.flatMap(({ readHeads }) => readHeads ?? []);
  const traced = tracedIngestion(tracing);
  const acceptance = measureAcceptance(metrics);
  return {
    accept(acknowledging: IngestQueue): IngestQueue {
      const queue = traced.queue(acknowledging);
      return {
        async accept(received) {
          const begunAt = performance.now();
          const dated = datedIntake(received, ages.earliestReceipt());
          const packing = packedIntake(dated);
          const intake = packing instanceof Promise ? await packing : packing;
          const weights = weightsOf(intake);
          // A batch holds only admitted items. Doors ask before they read a body; this check is for the bodies that were
          // under way then, and for callers that are not SDKs.
          quotas.take(weights);
          let isStored = false;
          try {
            await queue.accept(intake);
            isStored = true;
          } finally {
            quotas.settle(weights, isStored);
          }
          acceptance.note(intake, performance.now() - begunAt);
        },
      };
    },
    store: (store: StoreBatch): StoreBatch => traced.store(measuredStore(withHeads(readers, store), metrics)),
  };
}

/** Events are grouped by the heads that plugins return; a batch that they leave as it is awaits nothing more. */
function withHeads(readers: readonly ReadHeads[], store: StoreBatch): StoreBatch {
  return async (intake) => {
    let { events } = intake;
    for (const read of readers) {
      const heads = read(events);
      events = heads instanceof Promise ? await heads : heads;
    }
    return store(events === intake.events ? intake : { ...intake, events });
  };
}
