/**
 * Faultline, as one process, in phases: telemetry, plugins, storage, state, ingestion, services, schedule, doors. Each
 * lies in the folder that owns it, returns what it made, and adds its undo step to `stops`.
 *
 * The way of one event: the bridge takes the HTTP request, authenticates the client key, decompresses and frames the
 * body, and turns whatever shape the SDK sent into one `ErrorEvent`; the core's queue (`host/ingest/pipeline.ts`)
 * gathers the events of a few milliseconds into a batch; the integrated backend groups them and writes errors, events,
 * hourly counts, users and tags in one synced transaction; then the SDK gets its `200 {"id": ...}`.
 */
import type { Clock, Plugin } from "@faultline/plugin";
import { builtIn, movedPlugins, openTracing } from "./built-in.ts";
import type { Config } from "./config.ts";
import { ConsolePages } from "./console-pages.ts";
import { NotedErrorChanges } from "./host/changes/error-changes.ts";
import type { Faultline } from "./faultline.ts";
import type { MachineTime } from "./host/clock/age-clock.ts";
import { openDoors } from "./host/doors.ts";
import { openIngestion } from "./host/ingest/open-ingestion.ts";
import { measureQueue } from "./host/metrics/queue.ts";
import { measureStorage } from "./host/metrics/storage.ts";
import { openTelemetry } from "./host/open-telemetry.ts";
import { OutboundClient } from "./host/outbound/outbound-client.ts";
import { ExternalSystem } from "./host/own-errors/external-system.ts";
import { OwnErrorSettings } from "./host/own-errors/own-error-settings.ts";
import { checkPlugins } from "./host/plugins/boot-checks.ts";
import { PluginHosts } from "./host/plugins/plugin-hosts.ts";
import { deliverErrorChanges, openSchedule, scheduleOfBackends } from "./host/schedule.ts";
import { Stops } from "./host/stops.ts";
import { readinessOf } from "./readiness.ts";
import { does } from "./roles.ts";
import { serve } from "./serve.ts";
import { makeFirstAdministrator } from "./services/access/first-administrator.ts";
import { accessTo, coreOf, guardedServices, implementationsOf, invokeAs, tokenCheck } from "./services/core.ts";
import { openState } from "./services/open-state.ts";
import { ownServices } from "./services/own-services.ts";
import { isStorageFailure } from "./storage/database/storage-failure.ts";
import type { MoveOptions, MoveReport } from "./storage/move/move.ts";
import { openStorage } from "./storage/open-storage.ts";
import { KeyRotation } from "./storage/secrets/key-rotation.ts";
import { version } from "./version.ts";

const machineTime: MachineTime = { now: Date.now, passed: () => performance.now() };

/**
 * Starts everything in order. A failure is a StartRefusal, and the steps before it are undone. `added` are plugins
 * beside those of `built-in.ts`.
 */
export async function startFaultline(
  config: Config,
  time: MachineTime = machineTime,
  added: readonly Plugin[] = [],
): Promise<Faultline> {
  await using stops = new Stops();
  const { role } = config;
  const clock: Clock = time;
  const passing: Clock = { now: () => time.passed?.() ?? time.now() }; // for spans, which no jump changes
  const startedAt = clock.now();

  const telemetry = await openTelemetry(config, { clock, stops, openTracing });
  const { log, ownErrors, metrics } = telemetry;
  const pages = new ConsolePages({ areElsewhere: !does(role, "console") });
  const { all: plugins, bridge, rules, jetstream } = await builtIn(config, { ...telemetry, pages, added });
  checkPlugins(plugins);

  const storage = await openStorage(config, { plugins, time, log, stops });
  const { database, orm, keyRing } = storage;
  const firstCredentials = await makeFirstAdministrator({ orm, keyRing, clock, config });

  const baseUrl = () => config.baseUrl ?? bridge.url();
  const ownUrls = () => [baseUrl(), bridge.url(), `http://${config.grpcAddress}`];
  const outbound = new OutboundClient({ rules: config.outbound, own: ownUrls });
  const state = await openState(config, { storage, plugins, clock, passing, baseUrl });
  const { projects, clientKeys, memory, integratedOffered } = state;
  const ingestion = openIngestion(config, { telemetry, storage, state, plugins, clock, passing, stops });

  const readiness = readinessOf(role, { storage, ingestion, jetstream });
  const { isReady } = readiness;
  measureStorage(metrics, {
    database,
    dataDir: config.dataDir,
    disk: storage.disk,
    queue: ingestion.groupCommit,
    isReady,
  });
  measureQueue(metrics, jetstream);
  ownErrors.useWays(ingestion.events, outbound);
  const externalSystem = new ExternalSystem({ outbound, clock, version });
  const reporting = new OwnErrorSettings({
    orm,
    database,
    keyRing,
    projects,
    clientKeys,
    rules,
    ownErrors,
    integratedOffered,
    externalSystem,
    log,
  });
  await reporting.apply();
  const keyRotation = new KeyRotation({ keyRing, database, memory, clock: passing, log });

  const kept = { telemetry, storage, state, ingestion };
  const schedule = openSchedule(config, { ...kept, reporting, keyRotation, stops });
  const { scheduler } = schedule;
  const errorChanges = new NotedErrorChanges(database, clock);
  const shared = {
    deprecations: rules,
    events: ingestion.events,
    errorChanges,
    database,
    metrics,
    clock,
    scheduler,
    outbound,
  };
  const hosts = new PluginHosts({ ...shared, deletionClock: storage.ages.deletion, isReady }, telemetry.logOf);
  const served = { reporting, keyRotation, jetstream, isReady, startedAt, clock, baseUrl, log };
  const own = ownServices(config, { storage, state, ingestion, ...served });
  const services = guardedServices([...own, ...implementationsOf(plugins, hosts)], { ...state, log });
  await errorChanges.register(plugins); // before the doors open, so that no plugin misses a change
  const walls = { guard: state.guard, log };
  const [core, access] = [coreOf(services), accessTo(services, { ...walls, clock: passing })];
  hosts.useCore((plugin) => ({ core, access, invoke: invokeAs(plugin, services, walls) }));
  const checkToken = tokenCheck(walls);
  const doors = await openDoors(config, { services, telemetry, checkToken, plugins, hosts, pages, stops });
  const { grpc, grpcAddress, loadPages } = doors;
  if (does(role, "worker")) jetstream?.startWorker({ storeBatch: ingestion.storeBatch, isStorageFailure });
  deliverErrorChanges(scheduler, { plugins, hosts, errorChanges, deletionClock: storage.ages.deletion });
  scheduleOfBackends(scheduler, { ...kept, jetstream });
  await loadPages();
  await database.warnOfLosses?.(log);
  readiness.setServing(true);
  grpc.setServing(true);

  const stopInOrder = stops.handOver();
  return {
    httpUrl: bridge.url(),
    grpcAddress,
    firstCredentials,
    lastReport: (thrown) => ownErrors.lastReport(thrown),
    async stop() {
      readiness.setServing(false);
      grpc.setServing(false);
      // These two begin while the bridge still answers; their own turns wait for them.
      void grpc.stop();
      void schedule.stop();
      await stopInOrder(); // in reverse: bridge, backends, gRPC, scheduler, database, data directory
    },
    stopsAt: () => stops.step,
  };
}

/** Copies the data of a data directory to PostgreSQL. */
export async function move(options: MoveOptions): Promise<MoveReport> {
  const { moveToPostgresql } = await import("./storage/move/move.ts");
  return moveToPostgresql(options, movedPlugins());
}

if (import.meta.main) await serve(startFaultline);
