import type { Clock, Plugin, Scheduler, Task } from "@faultline/plugin";
import type { BuiltIn } from "../built-in.ts";
import type { Config } from "../config.ts";
import { does } from "../roles.ts";
import { deleteExpiredInvitations } from "../services/members/invitations.ts";
import type { State } from "./open-state.ts";
import { removeDeletedProjects } from "../services/projects/deleted-projects.ts";
import { Eviction } from "../services/quotas/eviction.ts";
import { isStorageFailure } from "../storage/database/storage-failure.ts";
import type { Storage } from "./open-storage.ts";
import type { KeyRotation } from "../storage/secrets/key-rotation.ts";
import type { NotedTransitions } from "../host/changes/noted-transitions.ts";
import type { Ingestion } from "./open-ingestion.ts";
import { measuredScheduler } from "../host/metrics/core-metrics.ts";
import type { Telemetry } from "./open-telemetry.ts";
import type { OwnErrorSettings } from "../services/own-errors/own-error-settings.ts";
import type { PluginHosts } from "../host/plugins/plugin-hosts.ts";
import { IntervalScheduler, type Alone } from "../host/plugins/scheduler.ts";
import type { Stops } from "../host/stops.ts";
import { tracedScheduler } from "../host/tracing/traced.ts";

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

interface Scheduled {
  readonly telemetry: Telemetry;
  readonly storage: Storage;
  readonly state: State;
  readonly ingestion: Ingestion;
}

/**
 * The phase that creates the scheduler and adds the core's own work. Counts in memory are saved at the stop as well.
 */
export function openSchedule(
  { role }: Config,
  parts: Scheduled & { reporting: OwnErrorSettings; keyRotation: KeyRotation; stops: Stops; pace: number },
): { readonly scheduler: Scheduler; stop(): Promise<void> } {
  const { telemetry, storage, stops, pace } = parts;
  const { log, metrics, tracing } = telemetry;
  const alone: Alone = async (name, work) => {
    if (does(role, "worker")) await storage.database.alone(name, work);
  };
  const intervals = new IntervalScheduler(log, alone, pace);
  const scheduler = tracedScheduler(measuredScheduler(intervals, metrics), tracing);
  saveAtStop(parts, stops);
  stops.add(
    () => `scheduled work: ${intervals.running.join(", ")}`,
    () => intervals.stop(),
  );
  save(scheduler, parts);
  readAgain(scheduler, parts);
  deleteExpired(scheduler, parts);
  return { scheduler, stop: () => intervals.stop() };
}

function saveAtStop({ telemetry: { log }, state }: Scheduled, stops: Stops): void {
  const { clientKeys, outcomes, traffic, spikes, quotas } = state;
  stops.save("saving when client keys were last used", log, () => clientKeys.saveLastUsed());
  stops.save("saving outcomes", log, () => outcomes.save());
  stops.save("saving the traffic of client keys", log, () => traffic.save());
  stops.save("saving the networks of senders", log, () => traffic.saveNetworks());
  stops.save("saving how many events came", log, () => spikes.save());
  stops.save("saving what came today", log, () => quotas.today.save());
}

/** Counts in memory are written at intervals. */
function save({ every }: Scheduler, { storage, state }: Scheduled): void {
  const { clientKeys, outcomes, traffic, spikes, quotas } = state;
  every(10 * minuteMs, "save the time by which ages are counted", () => storage.ages.save());
  every(minuteMs, "save when client keys were last used", () => clientKeys.saveLastUsed());
  every(minuteMs, "save how many events came", () => spikes.save());
  every(minuteMs, "save the networks of senders", () => traffic.saveNetworks());
  every(10 * minuteMs, "add up the networks that sent less", () => traffic.keepBusiest(), { alone: true });
  // One after the other, so that a locked database causes one wait. The storing side reports its faults; the next
  // second writes the rest.
  every(secondMs, "save what was counted", async () => {
    try {
      for (const counts of [outcomes, traffic, quotas.today]) await counts.save();
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
    }
  });
}

/** Reads state again that changes elsewhere: the disk, the previous days, and rows that other processes wrote. */
function readAgain(
  { every }: Scheduler,
  parts: Scheduled & { reporting: OwnErrorSettings; keyRotation: KeyRotation },
): void {
  const { storage, state, reporting, keyRotation } = parts;
  const { memory, clientKeys, quotas, spikes } = state;
  every(10 * minuteMs, "read the usual days of projects", () => spikes.readUsualDays());
  every(secondMs, "encrypt secrets with a new key", () => keyRotation.step()); // in each process that has both keys
  if (storage.isOnDisk) return every(secondMs, "ask for free disk space", () => storage.disk.ask());
  // A process that is killed between its commit and its announcement never announces its change.
  every(10 * secondMs, "forget tokens, roles and client keys", () => {
    memory.forget();
    clientKeys.doubt();
    return Promise.resolve();
  });
  every(10 * secondMs, "read where own errors go", () => reporting.apply());
  every(10 * secondMs, "read the limits of projects", () => quotas.readLimits());
}

/** Deletes expired rows each hour, once for the whole installation. */
function deleteExpired({ every }: Scheduler, { storage, state, ingestion }: Scheduled): void {
  const { outcomes, traffic, eventHours, quotas, audit } = state;
  const { deletion: clock } = storage.ages;
  const hourly = (name: string, task: Task) => every(hourMs, name, task, { alone: true });
  hourly("delete outcomes older than the retention", () => outcomes.deleteExpired(clock.now()));
  hourly("delete traffic of client keys older than the retention", () => traffic.deleteExpired(clock.now()));
  hourly("delete the counts of events of the week before", () => eventHours.deleteExpired(clock.now()));
  hourly("delete what came on days long past", () => quotas.today.deleteExpired(clock.now()));
  hourly("delete unstored events older than the retention", () => ingestion.unstored.deleteExpired(clock.now()));
  hourly("delete audit events older than a year", () => audit.deleteExpired(clock.now()));
  hourly("delete expired invitations", () => deleteExpiredInvitations(storage.orm, clock));
}

/** Delivers transitions of errors to the subscribed plugins. They have started before. */
export function deliverTransitions(
  scheduler: Scheduler,
  parts: { plugins: readonly Plugin[]; hosts: PluginHosts; transitions: NotedTransitions; deletionClock: Clock },
): void {
  const { plugins, hosts, transitions, deletionClock } = parts;
  const forget = () => transitions.deleteForgotten(deletionClock.now());
  scheduler.every(hourMs, "delete transitions noted for plugins that are gone", forget, { alone: true });
  for (const plugin of plugins) {
    const handle = plugin.errorTransitions?.(hosts.of(plugin));
    if (!handle) continue;
    const { name } = plugin;
    // As above: the storing side reports faults of the database, and the next second delivers the rest.
    const deliver = (signal: AbortSignal) =>
      transitions.deliver(name, handle, signal).catch((error: unknown) => {
        if (!isStorageFailure(error)) throw error;
      });
    scheduler.every(secondMs, `give transitions of errors to ${name}`, deliver, { alone: true });
    scheduler.every(24 * hourMs, `note transitions of errors for ${name}`, () => transitions.register([plugin]));
  }
}

/** Schedules work that calls the backends and the plugins. They have started before. */
export function scheduleOfBackends(
  scheduler: Scheduler,
  parts: Scheduled & Pick<BuiltIn, "jetstream"> & { plugins: readonly Plugin[]; hosts: PluginHosts },
): void {
  const { telemetry, storage, state, ingestion, jetstream, plugins, hosts } = parts;
  const { log, metrics } = telemetry;
  const { storing, quotas, outcomes, traffic, backends } = state;
  scheduler.every(secondMs, "read what projects keep", () => quotas.readKept());
  if (storing?.evictEvents) {
    const help = "Events that were deleted as their project keeps as many bytes as it may.";
    const evicted = metrics.counter("faultline_events_evicted_total", help).of();
    const eviction = new Eviction({ quotas, evict: storing.evictEvents.bind(storing), evicted, log });
    const evict = (signal: AbortSignal) => eviction.run(signal);
    scheduler.every(secondMs, "delete the oldest events beyond a quota", evict, { alone: true });
  }
  const deadLetters = jetstream ? [jetstream.deadLetters] : [];
  const ofPlugins = plugins.map((plugin) => ({
    deleteProject: async (projectId: number) => (await plugin.deleteProject?.(hosts.of(plugin), projectId)) ?? true,
  }));
  const holders = [outcomes, traffic, ingestion.unstored, quotas, ...deadLetters, ...backends.values(), ...ofPlugins];
  const { orm, ages } = storage;
  const remove = (signal: AbortSignal) => removeDeletedProjects({ orm, clock: ages.deletion, log, holders, signal });
  // An administrator who removes a project waits for the freed space.
  scheduler.every(5 * secondMs, "remove deleted projects for good", remove, { alone: true });
}
