import type { Clock, EventDoor, Plugin, IngestQueue, Intake, ReadHeads } from "@faultline/plugin";
import type { Config } from "../config.ts";
import { DayShares } from "../host/ingest/day-shares.ts";
import { GroupCommit } from "../host/ingest/group-commit.ts";
import { KeyLimits } from "../host/ingest/key-limits.ts";
import { datedIntake, packedIntake } from "../host/ingest/intake.ts";
import { RateLimits } from "../host/ingest/rate-limits.ts";
import { UnstoredEvents } from "../host/ingest/unstored-events.ts";
import { measuredKeep, measuredNotes, measuredStore, measureAcceptance } from "../host/metrics/core-metrics.ts";
import { eventStore, pluginQueue } from "../host/plugins/boot-checks.ts";
import type { Stops } from "../host/stops.ts";
import { tracedIngestion } from "../host/tracing/traced.ts";
import { weightsOf } from "../services/quotas/weight.ts";
import { isStorageFailure } from "../storage/database/storage-failure.ts";
import type { State } from "./open-state.ts";
import type { Storage } from "./open-storage.ts";
import type { Telemetry } from "./open-telemetry.ts";

export type Ingestion = ReturnType<typeof openIngestion>;

/** Internal services that report over gRPC may send this many times the items of SDKs to a project. */
const timesOfReports = 10;

/** The phase that creates the path of an event: the door that admits and counts it, the queue, and the store. */
export function openIngestion(
  config: Config,
  parts: {
    telemetry: Telemetry;
    storage: Storage;
    state: State;
    plugins: readonly Plugin[];
    clock: Clock;
    passing: Clock;
    stops: Stops;
  },
) {
  const { telemetry, storage, state, plugins, clock, passing, stops } = parts;
  const { log, metrics, ownErrors } = telemetry;
  const { database, ages, disk } = storage;
  const { clientKeys, spikes, quotas, traffic, outcomes, storing } = state;
  const { announcements } = database;

  const dayShares = new DayShares(clock, (projectId) => quotas.limitsOf(projectId).day);
  const { read, accept, store, storeQueued } = pipeline({ telemetry, storage, state, plugins, dayShares });
  const storeBatch = store(eventStore(plugins));
  const unstored = new UnstoredEvents({ database, clock: ages.receipt, store: storeBatch });
  const keep = measuredKeep((event, reason) => unstored.keep(event, reason), metrics);
  const groupCommit = new GroupCommit({
    storeBatch,
    isStorageFailure,
    keep,
    room: disk,
    log,
    isSilent: () => database.isSilent?.() ?? false,
  });
  stops.add("events that wait to be stored", () => groupCommit.drained());
  stops.add("reports of own errors", () => ownErrors.stop());
  const given = pluginQueue(plugins);
  const queue = accept(given ?? groupCommit, { storesLater: given !== undefined });

  const rateLimits = new RateLimits(passing, config.rateLimits, announcements);
  const ofReports = { perKey: 0, perProject: config.rateLimits.perProject * timesOfReports };
  const reportLimits = new RateLimits(passing, ofReports, announcements, "limits of reports");
  const keyLimits = new KeyLimits(clock, announcements);
  const events: EventDoor = {
    admit: (key, projectId, sender) => clientKeys.admit(key, projectId, sender),
    spend: (admission, category, count) => keyLimits.spend(admission, { category, count }, rateLimits),
    costLimit: (admission, account) => rateLimits.costLimit(admission, account),
    charge: (admission, account, cost) => rateLimits.charge(admission, account, cost),
    filter({ projectId, filters }, arrived) {
      const reason = filters?.reasonToStop(arrived);
      if (reason !== undefined) return reason;
      if (spikes.lets(projectId, arrived, filters?.spikesSampledFrom ?? 0)) return undefined;
      storing?.sampledOut?.(arrived.event, read);
      return "spike";
    },
    quotaRefusal(admission) {
      const left = dayShares.left(admission); // asked even if much is left, to register the sender
      return quotas.refusal(admission.projectId, () => left);
    },
    accept: (intake, admission) => queue.accept(intake, admission),
    received: (admission, request) => traffic.received(admission, request),
    note: measuredNotes((outcome) => {
      outcomes.note(outcome);
      traffic.note(outcome);
    }, metrics),
  };
  return { storeQueued: storeQueued(storeBatch), unstored, groupCommit, queue, events, reportLimits, readHeads: read };
}

type StoreBatch = (intake: Intake) => Promise<void>;

interface Parts {
  readonly telemetry: Telemetry;
  readonly storage: Storage;
  readonly state: State;
  readonly plugins: readonly Plugin[];
  readonly dayShares: DayShares;
}

/**
 * The steps of an accepted intake, in their order, up to the queue that acknowledges it, and the steps of a batch from
 * the queue to the backend. The queue is the group commit of one process, or the queue of several machines.
 *
 * The steps of an acceptance are one function that awaits once, for the queue: each further await would cost every
 * event a promise and a pass through the microtasks.
 */
function pipeline({ telemetry, storage: { ages }, state: { quotas }, plugins, dayShares }: Parts) {
  const { metrics, tracing } = telemetry;
  const read = plugins.find(({ readHeads }) => readHeads)?.readHeads;
  const traced = tracedIngestion(tracing);
  const acceptance = measureAcceptance(metrics);
  return {
    /** Undefined if events are grouped by their own heads. */
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
          // Only the event's own sender waits here.
          const reading = storesLater ? packed : withHeads(read, packed);
          const intake = reading instanceof Promise ? await reading : reading;
          const weights = weightsOf(intake);
          // A batch holds only admitted items. Doors ask before they read a body; this check is for bodies that were
          // already under way, and for callers that are not SDKs.
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
    /** Stores a batch that its queue has already acknowledged. */
    storeQueued:
      (store: StoreBatch): StoreBatch =>
      async (intake) =>
        store(await withHeads(read, intake)),
  };
}

/**
 * Events are grouped by the heads that a plugin returns. An intake that the plugin does not change costs no promise.
 */
function withHeads(read: ReadHeads | undefined, intake: Intake): Intake | Promise<Intake> {
  const events = read?.(intake.events) ?? intake.events;
  if (events instanceof Promise) return events.then((changed) => ({ ...intake, events: changed }));
  return events === intake.events ? intake : { ...intake, events };
}
