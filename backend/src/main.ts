/**
 * Faultline, as one process, in phases: telemetry, plugins, storage, state, ingestion, services, schedule, doors. Each
 * is in `phases/` or `built-in.ts`, returns the parts it created, and adds its undo step to `stops`.
 *
 * The path of an event: the bridge takes the HTTP request, authenticates the client key, decompresses and frames the
 * body, and turns any shape of SDK event into one `ErrorEvent`; the core's queue (`phases/open-ingestion.ts`) gathers
 * the events of a few milliseconds into a batch; the integrated backend groups them and writes errors, events, hourly
 * counts, users and tags in one synced transaction; then the SDK gets its `200 {"id": ...}`.
 */
import type { Clock, Plugin } from "@faultline/plugin";
import { builtIn, openTracing, storingPlugins } from "./built-in.ts";
import type { Config } from "./config.ts";
import { ConsolePages } from "./console-pages.ts";
import type { MachineTime } from "./host/age-clock.ts";
import { OutboundClient } from "./host/outbound/outbound-client.ts";
import { checkPlugins } from "./host/plugins/boot-checks.ts";
import { Stops } from "./host/stops.ts";
import { openDoors } from "./phases/doors.ts";
import { measureQueue, measureStorage } from "./phases/measure.ts";
import { openIngestion } from "./phases/open-ingestion.ts";
import { openReporting } from "./phases/open-reporting.ts";
import { openServices, openErrorChanges } from "./phases/open-services.ts";
import { openState } from "./phases/open-state.ts";
import { openStorage } from "./phases/open-storage.ts";
import { openTelemetry } from "./phases/open-telemetry.ts";
import { readinessOf } from "./phases/readiness.ts";
import { deliverTransitions, openSchedule, scheduleOfBackends } from "./phases/schedule.ts";
import { does } from "./roles.ts";
import { serve, type Faultline, warnOfNodeFaults } from "./serve.ts";
import { SessionEntity } from "./services/access/sessions.ts";
import { AccessTokenEntity } from "./services/tables/access-token.ts";
import { makeFirstAdministrator } from "./services/accounts/first-administrator.ts";
import { AuditEventEntity } from "./services/audit/audit-log.ts";
import { ClientKeyEntity } from "./services/tables/client-key.ts";
import { InboundFilterEntity } from "./services/filters/inbound-filters.ts";
import { PasswordResetEntity, IdentityEntity } from "./services/tables/identity.ts";
import { InvitationEntity } from "./services/members/invitations.ts";
import { MemberRoleEntity } from "./services/tables/member-role.ts";
import { MemberEntity } from "./services/tables/member.ts";
import { OwnErrorReportingEntity } from "./services/own-errors/own-error-reporting.ts";
import { ProjectEntity } from "./services/tables/project.ts";
import { SettingsEntity } from "./services/tables/settings.ts";
import { UserEntity } from "./services/tables/user.ts";
import { isStorageFailure } from "./storage/database/storage-failure.ts";
import type { MoveOptions, MoveReport } from "./storage/move/move.ts";
import { encryptedColumns } from "./storage/secrets/encrypted-columns.ts";
import { KeyRotation } from "./storage/secrets/key-rotation.ts";

/** The rows of the core, for the ORM. */
export const coreEntities = [
  UserEntity,
  IdentityEntity,
  SessionEntity,
  AccessTokenEntity,
  ProjectEntity,
  SettingsEntity,
  InboundFilterEntity,
  ClientKeyEntity,
  MemberRoleEntity,
  MemberEntity,
  InvitationEntity,
  PasswordResetEntity,
  AuditEventEntity,
  OwnErrorReportingEntity,
];

const machineTime: MachineTime = {
  now: Date.now,
  passed: () => performance.now(),
  busy: threadMs,
};

/** Processor time of the event loop's thread. It does not include the time in which other programs have the core. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The parts that a caller injects in addition to the configuration. */
interface Injected {
  /** Plugins in addition to the plugins of `built-in.ts`. */
  readonly plugins?: readonly Plugin[];
  /** The folder of a console that was built with more plugins. The default is the console of the installation. */
  readonly builtConsole?: string;
  /** Name servers instead of the system's, as `address:port`. */
  readonly nameServers?: readonly string[];
  /** The factor by which scheduled work runs more often, for tests that wait for it. */
  readonly pace?: number;
}

/** Starts everything in order. On failure, stops the started phases and throws a StartRefusal. */
export async function startFaultline(
  config: Config,
  time: MachineTime = machineTime,
  { plugins: added = [], builtConsole, nameServers, pace = 1 }: Injected = {},
): Promise<Faultline> {
  await using stops = new Stops();
  const { role } = config;
  const clock: Clock = time;
  const passing: Clock = { now: () => time.passed?.() ?? time.now() }; // monotonic, for durations
  const startedAt = clock.now();

  const telemetry = await openTelemetry(config, { clock, stops, openTracing });
  const { log, ownErrors, metrics } = telemetry;
  const pages = new ConsolePages({
    areElsewhere: !does(role, "console"),
    log: telemetry.logOf("console"),
    built: builtConsole,
  });
  const { all: plugins, bridge, rules, jetstream } = await builtIn(config, { ...telemetry, pages, added });
  checkPlugins(plugins);

  const storage = await openStorage(config, { entities: coreEntities, plugins, time, log, stops });
  const { database, orm, keyRing } = storage;
  const changes = openErrorChanges(database, { clock, stops });
  const firstCredentials = await makeFirstAdministrator({ orm, keyRing, clock, config });

  const baseUrl = () => config.baseUrl ?? bridge.url();
  const ownUrls = () => [baseUrl(), bridge.url(), `http://${config.grpcAddress}`];
  const outbound = new OutboundClient({ rules: config.outbound, own: ownUrls, nameServers });
  const busy = () => time.busy?.() ?? 0;
  const state = await openState(config, { storage, plugins, clock, passing, busy, baseUrl });
  const ingestion = openIngestion(config, { telemetry, storage, state, plugins, clock, passing, stops });

  const readiness = readinessOf(role, { storage, ingestion, plugins, jetstream });
  const { isReady } = readiness;
  const measured = { database, dataDir: config.dataDir, disk: storage.disk, queue: ingestion.groupCommit };
  measureStorage(metrics, { ...measured, isReady });
  measureQueue(metrics, jetstream);
  const reporting = await openReporting({ telemetry, storage, state, ingestion, rules, outbound, clock });
  const columns = encryptedColumns(plugins);
  const keyRotation = new KeyRotation({ keyRing, columns, database, memory: state.memory, clock: passing, log });

  const kept = { telemetry, storage, state, ingestion };
  const schedule = openSchedule(config, { ...kept, reporting, keyRotation, stops, pace });
  const { scheduler } = schedule;
  const given = { deprecations: rules, scheduler, outbound };
  const served = { ...kept, plugins, jetstream, reporting, keyRotation, isReady, startedAt, clock, passing, baseUrl };
  const { services, hosts, checkToken } = openServices(config, { ...served, changes, given });
  await changes.transitions.register(plugins); // before the doors open, so that no plugin misses a transition
  const doors = await openDoors(config, { services, telemetry, checkToken, plugins, hosts, pages, stops });
  const { grpc, grpcAddress, loadPages } = doors;
  if (does(role, "worker")) jetstream?.startWorker({ storeBatch: ingestion.storeQueued, isStorageFailure });
  const { transitions } = changes;
  deliverTransitions(scheduler, { plugins, hosts, transitions, deletionClock: storage.ages.deletion });
  scheduleOfBackends(scheduler, { ...kept, jetstream, plugins, hosts });
  await loadPages();
  await database.warnOfLosses?.(log);
  warnOfNodeFaults(log);
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
      // Both begin to stop while the bridge still answers; their own steps in the order wait for them.
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
  return moveToPostgresql(options, { coreEntities, plugins: storingPlugins() });
}

if (import.meta.main) await serve(startFaultline);
