import type { EventDoor, IngestQueue, Intake, Plugin, ReadHeads } from "@faultline/plugin";
import type { State } from "./open-state.ts";
import { weightsOf } from "../services/quotas/weight.ts";
import type { Storage } from "./open-storage.ts";
import { measuredStore, measureAcceptance } from "../host/metrics/ingestion.ts";
import type { Telemetry } from "./open-telemetry.ts";
import { tracedIngestion } from "../host/tracing/ingestion.ts";
import { datedIntake } from "../host/ingest/dated-intake.ts";
import type { DayShares } from "../host/ingest/day-shares.ts";
import { packedIntake } from "../host/ingest/packed-intake.ts";

type StoreBatch = (intake: Intake) => Promise<void>;

interface Parts {
  readonly telemetry: Telemetry;
  readonly storage: Storage;
  readonly state: State;
  readonly plugins: readonly Plugin[];
  readonly dayShares: DayShares;
}

/**
 * The steps of an accepted intake, in their order, up to the queue that acknowledges it; and those of a batch on its way
 * to the backend. Between the two lies the queue: the group commit of one process, or that of several machines.
 *
 * The steps of an acceptance are one function that awaits once, for the queue: each further await would cost every event
 * a promise and a pass through the microtasks.
 */
export function pipeline({ telemetry, storage: { ages }, state: { quotas }, plugins, dayShares }: Parts) {
  const { metrics, tracing } = telemetry;
  const read = plugins.find(({ readHeads }) => readHeads)?.readHeads;
  const traced = tracedIngestion(tracing);
  const acceptance = measureAcceptance(metrics);
  return {
    /** Absent: events are grouped by the heads with which they came. */
    read,
    /** `storesLater`: the queue acknowledges before the events are stored, and `storeQueued` reads their heads. */
    accept(acknowledging: IngestQueue, { storesLater }: { readonly storesLater: boolean }): Pick<EventDoor, "accept"> {
      const queue = traced.queue(acknowledging);
      return {
        async accept(received, admission) {
          const begunAt = performance.now();
          const dated = datedIntake(received, ages.earliestReceipt());
          const packing = packedIntake(dated);
          const packed = packing instanceof Promise ? await packing : packing;
          // Here an event keeps its own sender waiting and no other.
          const reading = storesLater ? packed : withHeads(read, packed);
          const intake = reading instanceof Promise ? await reading : reading;
          const weights = weightsOf(intake);
          // A batch holds only admitted items. Doors ask before they read a body; this check is for the bodies that were
          // under way then, and for callers that are not SDKs.
          quotas.take(weights, admission && (() => dayShares.left(admission)));
          let isStored = false;
          try {
            await queue.accept(intake);
            isStored = true;
          } finally {
            quotas.settle(weights, isStored);
          }
          if (admission) for (const { bytes } of weights) dayShares.take(admission, bytes);
          acceptance.note(intake, performance.now() - begunAt);
        },
      };
    },
    store: (store: StoreBatch): StoreBatch => traced.store(measuredStore(store, metrics)),
    /** Stores a batch of a queue that acknowledged it before. */
    storeQueued:
      (store: StoreBatch): StoreBatch =>
      async (intake) =>
        store(await withHeads(read, intake)),
  };
}

/** Events are grouped by the heads that a plugin returns. An intake that it leaves as it is costs no promise. */
function withHeads(read: ReadHeads | undefined, intake: Intake): Intake | Promise<Intake> {
  const events = read?.(intake.events) ?? intake.events;
  if (events instanceof Promise) return events.then((changed) => ({ ...intake, events: changed }));
  return events === intake.events ? intake : { ...intake, events };
}
