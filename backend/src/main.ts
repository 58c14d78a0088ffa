/**
 * Faultline, as one process. The way of one event: the bridge takes the HTTP request, authenticates the client key,
 * decompresses and frames the body, and turns whatever shape the SDK sent into one `ErrorEvent`; the core's queue
 * gathers the events of a few milliseconds into a batch; the integrated backend groups them and writes errors, events,
 * hourly counts, users and tags in one synced transaction; then the SDK gets its `200 {"id": ...}`.
 */
import { deprecations } from "@faultline/deprecations";
import { externalBackend } from "@faultline/external-backend";
import { httpBridge } from "@faultline/http-bridge";
import { integratedBackend } from "@faultline/integrated-backend";
import { sentryApi } from "@faultline/sentry-api";
import type { Clock, EventDoor, Host, Log, Plugin, Task } from "@faultline/plugin";
import pino from "pino";
import { AccessMemory } from "./services/access/access-memory.ts";
import { accountService } from "./services/access/account-service.ts";
import { CallLimits } from "./services/access/call-limits.ts";
import { CallerDirectory } from "./services/access/caller.ts";
import { makeFirstAdministrator, type FirstCredentials } from "./services/access/first-administrator.ts";
import { Grants } from "./services/access/grants.ts";
import { AuditLog } from "./services/audit/audit-log.ts";
import { auditService } from "./services/audit/audit-service.ts";
import { clientKeyService } from "./services/client-keys/client-key-service.ts";
import { ClientKeys } from "./services/client-keys/client-keys.ts";
import { KeyTraffic } from "./services/client-keys/key-traffic.ts";
import type { Config } from "./config.ts";
import { AgeClock, type MachineTime } from "./host/clock/age-clock.ts";
import { ConsolePages } from "./console-pages.ts";
import { Guard } from "./services/access/guard.ts";
import { doorChecks, guardedCore } from "./services/core.ts";
import { coreMigrations, inOrder } from "./storage/database/core-migrations.ts";
import { claimDataDirectory } from "./storage/database/data-directory.ts";
import { coreEntities } from "./storage/database/entities.ts";
import { DiskSpace } from "./storage/database/disk-space.ts";
import { openDatabase } from "./storage/database/open.ts";
import { isStorageFailure } from "./storage/database/storage-failure.ts";
import { deletionService } from "./services/errors/deletion-service.ts";
import { deprecationService } from "./services/instance/deprecation-service.ts";
import { allErrors } from "./services/errors/all-errors.ts";
import { errorService } from "./services/errors/error-service.ts";
import { errorProject } from "./services/errors/error-project.ts";
import { EventHours } from "./services/filters/event-hours.ts";
import { filterService } from "./services/filters/filter-service.ts";
import { SpikeProtection } from "./services/filters/spike-protection.ts";
import { GrpcServer } from "./host/grpc/server.ts";
import { GroupCommit } from "./host/ingest/group-commit.ts";
import { datedQueue } from "./host/ingest/dated-queue.ts";
import { packedQueue } from "./host/ingest/packed-queue.ts";
import { ingestService } from "./host/ingest/ingest-service.ts";
import { KeyLimits } from "./host/ingest/key-limits.ts";
import { RateLimits } from "./host/ingest/rate-limits.ts";
import { UnstoredEvents } from "./host/ingest/unstored-events.ts";
import { Unstored } from "./host/ingest/unstored.ts";
import { instanceService } from "./services/instance/instance-service.ts";
import { deleteExpiredInvitations } from "./services/members/invitations.ts";
import { memberRoleService } from "./services/members/member-role-service.ts";
import { memberService } from "./services/members/member-service.ts";
import { outcomeService } from "./services/outcomes/outcome-service.ts";
import { Outcomes } from "./services/outcomes/outcomes.ts";
import { ExternalSystem } from "./host/own-errors/external-system.ts";
import { OwnErrorSettings } from "./host/own-errors/own-error-settings.ts";
import { OwnErrors } from "./host/own-errors/own-errors.ts";
import { reportingLog } from "./host/own-errors/reporting-log.ts";
import { backendsByKind, checkPlugins, eventStore, pluginQueue } from "./host/plugins/boot-checks.ts";
import type { MoveOptions, MoveReport } from "./storage/move/move.ts";
import { OutboundClient } from "./host/outbound/outbound-client.ts";
import { IntervalScheduler } from "./host/plugins/scheduler.ts";
import { removeDeletedProjects } from "./services/projects/deleted-projects.ts";
import { ProjectDirectory } from "./services/projects/project-directory.ts";
import { projectService } from "./services/projects/project-service.ts";
import { Eviction } from "./services/quotas/eviction.ts";
import { quotaQueue } from "./services/quotas/quota-queue.ts";
import { quotaService } from "./services/quotas/quota-service.ts";
import { Quotas } from "./services/quotas/quotas.ts";
import { releaseService } from "./services/errors/release-service.ts";
import { Readiness } from "./readiness.ts";
import { does } from "./roles.ts";
import { countedCalls } from "./host/metrics/grpc-calls.ts";
import { measuredKeep, measuredNotes, measuredQueue, measuredStore } from "./host/metrics/ingestion.ts";
import { measureProcess } from "./host/metrics/process.ts";
import { measureQueue } from "./host/metrics/queue.ts";
import { MetricRegistry } from "./host/metrics/registry.ts";
import { measureStorage } from "./host/metrics/storage.ts";
import { measuredScheduler } from "./host/metrics/tasks.ts";
import { tracedCalls } from "./host/tracing/grpc-calls.ts";
import { tracedIngestion } from "./host/tracing/ingestion.ts";
import { tracedScheduler } from "./host/tracing/tasks.ts";
import type { TracingConfig } from "./host/tracing/tracing-config.ts";
import { KeyRotation } from "./storage/secrets/key-rotation.ts";
import { serve } from "./serve.ts";
import { settingsService } from "./services/settings/settings-service.ts";
import { userService } from "./services/users/user-service.ts";
import { version } from "./version.ts";

const machineTime: MachineTime = { now: Date.now, passed: () => performance.now() };

/** A running Faultline. */
export interface Faultline {
  readonly httpUrl: string;
  /** Empty: its role serves no gRPC to others. */
  readonly grpcAddress: string;
  /** Only when this start made the first administrator. */
  readonly firstCredentials: FirstCredentials | undefined;
  /** Reports what nobody caught, where the administrator wants that; resolves when the process may end. */
  lastReport(thrown: unknown): Promise<void>;
  /**
   * Answers what was sent, stores what was accepted, and closes the database; it takes less than seven seconds unless
   * something of ours hangs.
   */
  stop(): Promise<void>;
  /** What `stop` waits for. */
  stopsAt(): string;
}

/** Starts everything in order. What fails is a StartRefusal, and what was started before it is stopped again. */
export async function startFaultline(config: Config, time: MachineTime = machineTime): Promise<Faultline> {
  await using started = new AsyncDisposableStack();
  const clock: Clock = time;
  const passing: Clock = { now: () => time.passed?.() ?? time.now() }; // for spans, which no jump changes
  const startedAt = clock.now();
  const lines = pino({ level: config.logLevel, name: "faultline" }, pino.destination({ dest: 2, sync: true }));
  const ownErrors = new OwnErrors({ log: lines, clock, version });
  const log = reportingLog(lines, ownErrors, "core");
  let isServing = false;
  let stopsAt = () => "the beginning of the stop";
  const onStop = (what: string | (() => string), undo: () => unknown) =>
    started.defer(async () => {
      stopsAt = typeof what === "string" ? () => what : what;
      await undo();
    });

  const metrics = new MetricRegistry();
  onStop("measuring the process", measureProcess(metrics, version));
  const tracing = await openTracing(config.tracing, log);
  if (tracing) onStop("sending the last traces", () => tracing.stop());
  const traced = tracedIngestion(tracing);

  // What runs.
  const { role, natsUrl } = config;
  const pages = new ConsolePages({ areElsewhere: !does(role, "console") });
  const sentry = sentryApi();
  const bridge = httpBridge({
    ...config.http,
    baseUrl: config.baseUrl,
    isOpen: does(role, "bridge"),
    apis: [sentry.api],
    metrics: { token: config.metricsToken, contentType: metrics.contentType, text: () => metrics.text() },
    tracing,
    pages: (...visit) => pages.handle(...visit),
  });
  const isHosted = config.offering === "hosted";
  const platform = deprecations({ release: config.platformRelease, isHosted });
  const jetstream = await openQueue(natsUrl);
  const queues = jetstream ? [jetstream] : [];
  const plugins: readonly Plugin[] = [integratedBackend(), externalBackend(), platform, sentry, ...queues, bridge];
  checkPlugins(plugins);

  // The data.
  const directory = await claimDataDirectory(config.dataDir);
  onStop("the lock of the data directory", () => directory.release());
  const { database, keyRing } = await openDatabase({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    entities: [...coreEntities, ...plugins.flatMap(({ entities }) => entities ?? [])],
    migrations: inOrder([coreMigrations, ...plugins.flatMap(({ migrations }) => migrations ?? [])]),
  });
  const { orm, announcements } = database;
  onStop("the database", () => database.close());
  const ages = await AgeClock.open({ database, time, log });
  // What is saved here may be lost, as by a kill: a full disk must not keep the rest from stopping in order.
  const saveOnStop = (what: string, save: () => Promise<void>) =>
    onStop(what, () => save().catch((error: unknown) => log.error({ err: error }, `${what} failed`)));
  saveOnStop("saving the time", () => ages.save());
  const firstCredentials = await makeFirstAdministrator({ orm, keyRing, clock, config });

  // The services.
  const baseUrl = () => config.baseUrl ?? bridge.url();
  const ownUrls = () => [baseUrl(), bridge.url(), `http://${config.grpcAddress}`];
  const outbound = new OutboundClient({ rules: config.outbound, own: ownUrls });
  const memory = new AccessMemory(announcements);
  const grants = new Grants(orm, memory);
  const callLimits = new CallLimits(passing, config.callsPerToken);
  const guard = new Guard(new CallerDirectory({ orm, keyRing, clock, memory }), grants, callLimits);
  const backends = backendsByKind(plugins);
  const projects = new ProjectDirectory({ orm, memory, keyRing, backends, integratedOffered: isHosted });
  const traffic = new KeyTraffic(database, clock);
  const clientKeys = new ClientKeys({
    orm,
    keyRing,
    clock,
    baseUrl,
    integratedOffered: isHosted,
    announcements,
    traffic,
  });
  const store = traced.store(measuredStore(eventStore(plugins), metrics));
  const unstored = new UnstoredEvents({ database, clock: ages.receipt, store });
  const disk = new DiskSpace(config.dataDir, log);
  const isOnDisk = database.kind === "sqlite"; // PostgreSQL looks after its own: what is never asked is endless
  if (isOnDisk) await disk.ask();
  const keep = measuredKeep((event, reason) => unstored.keep(event, reason), metrics);
  const groupCommit = new GroupCommit({ storeBatch: store, keep, room: disk, log });
  onStop("events that wait to be stored", () => groupCommit.drained());
  onStop("reports of own errors", () => ownErrors.stop());
  const storing = [...backends.values()].find((backend) => backend.storeBatch);
  const quotas = new Quotas({ database, clock, disk, usage: async () => (await storing?.usage?.()) ?? [] });
  await quotas.open();
  const durable = quotaQueue(traced.queue(pluginQueue(plugins) ?? groupCommit), quotas);
  const queue = measuredQueue(datedQueue(packedQueue(durable), ages), metrics);
  const rateLimits = new RateLimits(passing, config.rateLimits, announcements);
  const keyLimits = new KeyLimits(clock, announcements);
  const eventHours = new EventHours(database, clock);
  const spikes = new SpikeProtection({
    hours: eventHours,
    clock,
    passing,
    announcements,
    eventsPerSecond: config.rateLimits.perProject,
  });
  await spikes.readUsualDays();
  const outcomes = new Outcomes(database, clock);
  const audit = new AuditLog(orm, ages.receipt);
  const readiness = new Readiness({ disk, queue: groupCommit, canWrite: () => database.canWrite() });
  const accepts = does(role, "bridge") || does(role, "core");
  const isAble = () => {
    if (jetstream && accepts) return jetstream.isAccepting; // whether or not the database answers
    if (jetstream && does(role, "worker") && !jetstream.isStoring) return false;
    return readiness.isReady();
  };
  const isReady = async () => isServing && isAble();
  measureStorage(metrics, { database, dataDir: config.dataDir, disk, queue: groupCommit, isReady });
  measureQueue(metrics, jetstream);
  const events: EventDoor = {
    admit: (key, projectId, sender) => clientKeys.admit(key, projectId, sender),
    spend: (admission, category, count) => keyLimits.spend(admission, { category, count }, rateLimits),
    costLimit: (admission, account) => rateLimits.costLimit(admission, account),
    charge: (admission, account, cost) => rateLimits.charge(admission, account, cost),
    filter: ({ projectId, filters }, arrived) =>
      filters?.reasonToStop(arrived) ??
      (spikes.lets(projectId, arrived, filters?.spikesSampledFrom ?? 0) ? undefined : "spike"),
    quotaRefusal: ({ projectId }) => quotas.refusal(projectId),
    accept: (intake) => queue.accept(intake),
    received: (admission, request) => traffic.received(admission, request),
    note: measuredNotes((outcome) => {
      outcomes.note(outcome);
      traffic.note(outcome);
    }, metrics),
  };
  ownErrors.useWays(events, outbound);
  const { deprecations: rules } = platform;
  const externalSystem = new ExternalSystem({ outbound, clock, version });
  const reporting = new OwnErrorSettings({
    orm,
    database,
    keyRing,
    projects,
    clientKeys,
    rules,
    ownErrors,
    integratedOffered: isHosted,
    externalSystem,
    log,
  });
  await reporting.apply();
  const keyRotation = new KeyRotation({ keyRing, database, memory, clock: passing, log });
  const { dataDir, delegated } = config;
  const health = {
    database,
    clock,
    keyRing,
    outcomes,
    dataDir,
    startedAt,
    isReady,
    backends: [...backends.values()],
    backlog: jetstream,
  };
  const core = guardedCore(
    {
      accounts: accountService({ orm, keyRing, clock, memory, announcements, version }),
      users: userService({ orm, keyRing, clock, memory, baseUrl }),
      members: memberService({ orm, keyRing, clock, memory, baseUrl, delegated }),
      memberRoles: memberRoleService({ orm, clock, delegated }),
      audit: auditService(orm),
      instance: instanceService({ config, baseUrl, reporting, keyRotation, health }),
      deprecations: deprecationService(rules),
      projects: projectService({ orm, clock: ages.receipt, projects, clientKeys, grants, memory, delegated }),
      quotas: quotaService({ orm, projects, quotas }),
      settings: settingsService({
        orm,
        memory,
        clock,
        keyRing,
        projects,
        clientKeys,
        backends,
        integratedOffered: isHosted,
      }),
      clientKeys: clientKeyService(clientKeys, traffic),
      filters: filterService({ orm, clock, clientKeys, spikes }),
      errors: errorService({
        projects,
        allErrors: allErrors({ orm, projects, grants, log }),
        errorProject: errorProject({ backends: [...backends.values()], grants }),
      }),
      deletions: deletionService(projects),
      releases: releaseService(projects),
      outcomes: outcomeService(outcomes),
      ingest: ingestService({
        projects,
        queue,
        unstored: new Unstored({ events: unstored, deadLetters: jetstream?.deadLetters, log }),
        clock,
        integratedOffered: isHosted,
      }),
    },
    { guard, audit, log },
  );

  const intervals = new IntervalScheduler(log, async (name, work) => {
    if (does(role, "worker")) await database.alone(name, work);
  });
  const scheduler = tracedScheduler(measuredScheduler(intervals, metrics), tracing);
  const { deletion: deletionClock } = ages;
  saveOnStop("saving when client keys were last used", () => clientKeys.saveLastUsed());
  saveOnStop("saving outcomes", () => outcomes.save());
  saveOnStop("saving the traffic of client keys", () => traffic.save());
  saveOnStop("saving the networks of senders", () => traffic.saveNetworks());
  saveOnStop("saving how many events came", () => spikes.save());
  saveOnStop("saving what came today", () => quotas.today.save());
  onStop(
    () => `scheduled work: ${intervals.running.join(", ")}`,
    () => intervals.stop(),
  );
  scheduler.every(600_000, "save the time by which ages are counted", () => ages.save());
  scheduler.every(60_000, "save when client keys were last used", () => clientKeys.saveLastUsed());
  scheduler.every(60_000, "save how many events came", () => spikes.save());
  scheduler.every(600_000, "read the usual days of projects", () => spikes.readUsualDays());
  if (isOnDisk) scheduler.every(1_000, "ask for free disk space", () => disk.ask());
  // One after the other, so that a database that is locked is waited for once. What stores events says what is wrong with
  // it; the next second writes what is left.
  scheduler.every(1_000, "save what was counted", async () => {
    try {
      for (const counts of [outcomes, traffic, quotas.today]) await counts.save();
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
    }
  });
  scheduler.every(60_000, "save the networks of senders", () => traffic.saveNetworks());
  scheduler.every(600_000, "add up the networks that sent less", () => traffic.keepBusiest(), { alone: true });
  scheduler.every(1_000, "encrypt anew with a new key", () => keyRotation.step()); // by whoever has both keys
  if (!isOnDisk) {
    // A process that is killed between its commit and its announcement tells nobody what it changed.
    scheduler.every(10_000, "forget tokens, roles and client keys", () => {
      memory.forget();
      clientKeys.doubt();
      return Promise.resolve();
    });
    scheduler.every(10_000, "read where own errors go", () => reporting.apply());
    scheduler.every(10_000, "read the limits of projects", () => quotas.readLimits());
  }
  /** What is done hourly for the whole installation. */
  const hourly = (name: string, task: Task) => scheduler.every(3_600_000, name, task, { alone: true });
  hourly("delete outcomes older than the retention", () => outcomes.deleteExpired(deletionClock.now()));
  hourly("delete traffic of client keys older than the retention", () => traffic.deleteExpired(deletionClock.now()));
  hourly("delete the counts of events of the week before", () => eventHours.deleteExpired(deletionClock.now()));
  hourly("delete what came on days long past", () => quotas.today.deleteExpired(deletionClock.now()));
  hourly("delete unstored events older than the retention", () => unstored.deleteExpired(deletionClock.now()));
  hourly("delete audit events older than a year", () => audit.deleteExpired(deletionClock.now()));
  hourly("delete expired invitations", () => deleteExpiredInvitations(orm, deletionClock));

  // The servers.
  const counted = countedCalls(metrics);
  const access = doorChecks({ guard, log });
  const grpc = new GrpcServer(core, log, {
    checkToken: access.checkToken,
    hasReflection: !config.grpcTls,
    interceptors: [counted("public"), ...tracedCalls(tracing)],
  });
  onStop("calls over gRPC", () => grpc.stop());
  const grpcAddress = does(role, "core") ? await grpc.listen(config.grpcAddress, config.grpcTls) : "";
  // The console calls for all its visitors over one connection, a call an open page, and needs no TLS within a process.
  const inner = new GrpcServer(core, log, {
    // All its visitors have its address, so that wrong tokens of theirs are counted for nobody.
    checkToken: (method, { token }) => access.checkToken(method, { token }),
    hasReflection: false,
    callsAtOnce: 10_000,
    interceptors: [counted("console"), ...tracedCalls(tracing)],
  });
  // Its pages are gone by then.
  onStop("calls of the console", () => inner.stop(500));
  const innerAddress = does(role, "console") ? await inner.listen("127.0.0.1:0") : "";

  for (const plugin of plugins) {
    const host: Host = {
      core,
      access,
      deprecations: rules,
      events,
      database,
      log: reportingLog(lines.child({ plugin: plugin.name }), ownErrors, plugin.name),
      metrics,
      clock,
      deletionClock,
      scheduler,
      outbound,
      isReady,
    };
    onStop(`the plugin ${plugin.name}`, () => plugin.stop?.());
    await plugin.start?.(host);
  }
  if (does(role, "worker")) jetstream?.startWorker({ storeBatch: store, isStorageFailure });
  // Only now: they ask the backends.
  scheduler.every(1_000, "read what projects keep", () => quotas.readKept());
  if (storing?.evictEvents) {
    const help = "Events that were deleted as their project keeps as many bytes as it may.";
    const evicted = metrics.counter("faultline_events_evicted_total", help).of();
    const evict = storing.evictEvents.bind(storing);
    const eviction = new Eviction({ quotas, evict, evicted, log });
    scheduler.every(1_000, "delete the oldest events beyond a quota", (signal) => eviction.run(signal), {
      alone: true,
    });
  }
  const holders = [
    outcomes,
    traffic,
    unstored,
    quotas,
    ...(jetstream ? [jetstream.deadLetters] : []),
    ...backends.values(),
  ];
  scheduler.every(
    5_000, // an administrator who removes one waits for its space
    "remove deleted projects for good",
    (signal) => removeDeletedProjects({ orm, clock: deletionClock, log, holders, signal }),
    { alone: true },
  ); // only now: it asks the backends
  if (does(role, "console")) await pages.load({ grpcAddress: innerAddress, baseUrl: config.baseUrl });
  await database.warnOfLosses?.(log);
  isServing = true;
  grpc.setServing(true);

  const running = started.move();
  return {
    httpUrl: bridge.url(),
    grpcAddress,
    firstCredentials,
    lastReport: (thrown) => ownErrors.lastReport(thrown),
    async stop() {
      isServing = false;
      grpc.setServing(false);
      // These two begin while the bridge still answers; they are waited for in their turn.
      void grpc.stop();
      void intervals.stop();
      await running.disposeAsync(); // in reverse: bridge, backends, gRPC, scheduler, database, data directory
    },
    stopsAt: () => stopsAt(),
  };
}

/** Copies what is in a data directory to PostgreSQL. Of the plugins it needs those that have tables. */
export async function move(options: MoveOptions): Promise<MoveReport> {
  const { moveToPostgresql } = await import("./storage/move/move.ts");
  return moveToPostgresql(options, [integratedBackend()]);
}

/** Loads the plugin where there are NATS servers and nowhere else, as its packages take memory. */
async function openQueue(url: string | undefined) {
  if (url === undefined) return undefined;
  const { jetstreamQueue } = await import("@faultline/jetstream-queue");
  return jetstreamQueue({ url });
}

/** Loads the plugin where traces are wanted and nowhere else, as its packages take memory. */
async function openTracing(config: TracingConfig | undefined, log: Log) {
  if (!config) return undefined;
  const { openTelemetry } = await import("@faultline/opentelemetry");
  return openTelemetry({ ...config, version, log });
}

if (import.meta.main) await serve(startFaultline);
