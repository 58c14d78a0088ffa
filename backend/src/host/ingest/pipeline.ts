import type { IngestQueue, Intake } from "@faultline/plugin";
import type { State } from "../../services/open-state.ts";
import { quotaQueue } from "../../services/quotas/quota-queue.ts";
import type { Storage } from "../../storage/open-storage.ts";
import { measuredQueue, measuredStore } from "../metrics/ingestion.ts";
import type { Telemetry } from "../open-telemetry.ts";
import { tracedIngestion } from "../tracing/ingestion.ts";
import { datedQueue } from "./dated-intake.ts";
import { packedQueue } from "./packed-intake.ts";

type StoreBatch = (intake: Intake) => Promise<void>;

interface Parts {
  readonly telemetry: Telemetry;
  readonly storage: Storage;
  readonly state: State;
}

/**
 * The steps of what a door accepts, in their order, up to the queue that acknowledges it; and those of a batch on its way
 * to the backend. Between both lies the queue: the group commit of one process, or that of several machines.
 */
export function pipeline({ telemetry: { metrics, tracing }, storage, state }: Parts) {
  const traced = tracedIngestion(tracing);
  const accepting: readonly ((queue: IngestQueue) => IngestQueue)[] = [
    (queue) => measuredQueue(queue, metrics), // counts what is acknowledged, and how long it takes
    (queue) => datedQueue(queue, storage.ages), // dates what comes while the clock is behind
    packedQueue, // compresses large payloads that came as they are
    (queue) => quotaQueue(queue, state.quotas), // refuses what is beyond a project's quota
    traced.queue,
  ];
  const storing: readonly ((store: StoreBatch) => StoreBatch)[] = [
    traced.store,
    (store) => measuredStore(store, metrics),
  ];
  return {
    accept: (queue: IngestQueue) => accepting.reduceRight((inner, step) => step(inner), queue),
    store: (store: StoreBatch) => storing.reduceRight((inner, step) => step(inner), store),
  };
}
