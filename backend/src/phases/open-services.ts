import type { Clock, Host, Database, ErrorChanges, Plugin } from "@faultline/plugin";
import {
  AccountService,
  AuditService,
  ClientKeyService,
  DeletionService,
  ErrorService,
  FilterService,
  IngestService,
  InstanceService,
  MemberRoleService,
  MemberService,
  OutcomeService,
  ProjectService,
  QuotaService,
  ReleaseService,
  SettingsService,
  UserService,
} from "@faultline/proto";
import type { Config } from "../config.ts";
import { secretsOf } from "../storage/secrets/encrypted-columns.ts";
import type { CheckToken } from "../host/grpc/call-wall.ts";
import type { Telemetry } from "./open-telemetry.ts";
import { readersOf } from "../services/access/readers.ts";
import { eventRegrouping, headReading, storedErrors } from "../host/plugins/boot-checks.ts";
import { notificationKinds, notifying } from "../host/plugins/notices.ts";
import { PluginHosts } from "../host/plugins/plugin-hosts.ts";
import {
  accessTo,
  coreOf,
  guardedServices,
  implementationsOf,
  invokeAs,
  tokenCheck,
  type GuardedService,
  implementation,
  type Implementation,
} from "../services/core.ts";
import { keptParts } from "../services/quotas/kept-beside.ts";
import type { Stops } from "../host/stops.ts";
import { ChangeStream } from "../host/changes/change-stream.ts";
import { NotedTransitions } from "../host/changes/noted-transitions.ts";
import type { BuiltIn } from "../built-in.ts";
import type { Ingestion } from "./open-ingestion.ts";
import { Unstored } from "../host/ingest/unstored.ts";
import { ingestService } from "../services/ingest/ingest-service.ts";
import type { OwnErrorSettings } from "../services/own-errors/own-error-settings.ts";
import type { Storage } from "./open-storage.ts";
import type { KeyRotation } from "../storage/secrets/key-rotation.ts";
import { version } from "../version.ts";
import { accountService } from "../services/accounts/account-service.ts";
import { publicOrigin } from "../services/access/sentry-token.ts";
import { auditService } from "../services/audit/audit-log.ts";
import { clientKeyService } from "../services/client-keys/client-key-service.ts";
import { allErrors } from "../services/errors/all-errors.ts";
import { StatusChangeLimit } from "../services/errors/status-change-limit.ts";
import { errorService, errorProject } from "../services/errors/error-service.ts";
import { backendOf, forwarded } from "../services/errors/forwarded.ts";
import { filterService } from "../services/filters/filter-service.ts";
import { instanceService } from "../services/instance/instance-service.ts";
import { memberRoleService } from "../services/members/member-role-service.ts";
import { memberService } from "../services/members/member-service.ts";
import type { State } from "./open-state.ts";
import { outcomeService } from "../services/outcomes/outcomes.ts";
import { projectService } from "../services/projects/project-service.ts";
import { quotaService } from "../services/quotas/quota-service.ts";
import { settingsService } from "../services/settings/settings-service.ts";
import { userService } from "../services/users/user-service.ts";

/** The phase that guards the services of the core and of the plugins, and creates the host for the plugins. */
export function openServices(
  config: Config,
  parts: Omit<OwnParts, "changes" | "statusChanges"> & {
    telemetry: Telemetry;
    changes: OpenErrorChanges;
    given: Pick<Host, "deprecations" | "scheduler" | "outbound">;
    passing: Clock;
  },
): { readonly services: readonly GuardedService[]; readonly hosts: PluginHosts; readonly checkToken: CheckToken } {
  const { storage, state, ingestion, plugins, telemetry, changes, given, isReady, clock, passing } = parts;
  const { log, logOf, metrics } = telemetry;
  const { database, ages, keyRing } = storage;
  const statusChanges = new StatusChangeLimit(clock);
  const own = {
    events: ingestion.events,
    errorChanges: changes.publisher,
    storedErrors: storedErrors(plugins),
    statusChanges,
    regroup: eventRegrouping(plugins),
    readHeads: headReading(plugins),
    notificationKinds: notificationKinds(plugins),
    database,
    metrics,
    clock,
    deletionClock: ages.deletion,
    isReady,
    secrets: secretsOf(keyRing),
    readers: readersOf({ orm: storage.orm, grants: state.grants }),
  };
  const { transitions } = changes;
  const { quotas } = state;
  const admitStoring = (plugin: string) => (bytes: number, projectId?: number) =>
    quotas.admit({ plugin, bytes, projectId });
  const pluginActivity: Host["pluginActivity"] = async (error) => {
    const added = plugins.map((plugin) => plugin.activity?.(hosts.of(plugin), error) ?? []);
    return (await Promise.all(added)).flat();
  };
  const notify = notifying(plugins);
  const hosts = new PluginHosts({ ...given, ...own, pluginActivity }, { logOf, transitions, admitStoring, notify });
  quotas.countBeside(keptParts(plugins, (plugin) => hosts.of(plugin)));
  const all = [
    ...ownServices(config, { ...parts, changes: changes.stream, statusChanges }),
    ...implementationsOf(plugins, hosts, backendOf(state.projects)),
  ];
  const services = guardedServices(all, { ...state, log });
  const walls = { guard: state.guard, log };
  const [core, access] = [coreOf(services), accessTo(services, { ...walls, clock: passing })];
  hosts.useCore((plugin) => ({ core, access, invoke: invokeAs(plugin, services, walls) }));
  return { services, hosts, checkToken: tokenCheck(walls) };
}

/**
 * Changes of errors: backends publish them through `publisher`, watches read `stream`, and plugins take `transitions`.
 */
interface OpenErrorChanges {
  readonly publisher: ErrorChanges;
  readonly stream: ChangeStream;
  readonly transitions: NotedTransitions;
}

/** The phase that opens the stream of changes of errors. Pending changes are announced at the stop. */
export function openErrorChanges(
  database: Database,
  { clock, stops }: { clock: Clock; stops: Stops },
): OpenErrorChanges {
  const stream = new ChangeStream(database.announcements, clock);
  const transitions = new NotedTransitions(database, clock);
  stops.add("announcing which errors changed", () => stream.announce());
  return {
    publisher: {
      publish: (changes, by) => stream.publish(changes, by),
      publishUnnamed: (projectId) => stream.publishUnnamed(projectId),
      note: (noted) => transitions.note(noted),
    },
    stream,
    transitions,
  };
}

/** The dependencies of the core's services. */
interface OwnParts {
  readonly plugins: readonly Plugin[];
  readonly storage: Storage;
  readonly state: State;
  readonly ingestion: Ingestion;
  readonly changes: ChangeStream;
  readonly statusChanges: StatusChangeLimit;
  readonly jetstream: BuiltIn["jetstream"];
  readonly reporting: OwnErrorSettings;
  readonly keyRotation: KeyRotation;
  readonly isReady: () => Promise<boolean>;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  readonly telemetry: Telemetry;
}

/** The services of the core, one line each. */
function ownServices(config: Config, parts: OwnParts): readonly Implementation[] {
  const { storage, state, ingestion, changes, jetstream, reporting, keyRotation, isReady, startedAt } = parts;
  const { plugins, clock, baseUrl, statusChanges } = parts;
  const { log } = parts.telemetry;
  const { database, orm, keyRing, ages } = storage;
  const { announcements } = database;
  const { memory, grants, projects, clientKeys, traffic, quotas, spikes, outcomes, integratedOffered } = state;
  const { delegated, dataDir } = config;
  const backends = [...state.backends.values()];
  const health = { database, clock, keyRing, outcomes, dataDir, startedAt, isReady, backends, backlog: jetstream };
  const unstored = new Unstored({ events: ingestion.unstored, deadLetters: jetstream?.deadLetters, log });
  const origin = () => publicOrigin(config, baseUrl());
  const settingsParts = { orm, memory, clock, keyRing, projects, clientKeys, integratedOffered };
  const find = backendOf(projects);
  return [
    implementation(AccountService, accountService({ orm, keyRing, clock, memory, announcements, version, origin })),
    implementation(UserService, userService({ orm, keyRing, clock, memory, baseUrl })),
    implementation(MemberService, memberService({ orm, keyRing, clock, memory, baseUrl, delegated })),
    implementation(MemberRoleService, memberRoleService({ orm, clock, delegated })),
    implementation(AuditService, auditService(orm)),
    implementation(InstanceService, instanceService({ config, plugins, baseUrl, reporting, keyRotation, health })),
    implementation(
      ProjectService,
      projectService({ orm, clock: ages.receipt, projects, clientKeys, grants, memory, delegated }),
    ),
    implementation(QuotaService, quotaService({ orm, projects, quotas })),
    implementation(SettingsService, settingsService({ ...settingsParts, backends: state.backends })),
    implementation(ClientKeyService, clientKeyService(clientKeys, traffic)),
    implementation(FilterService, filterService({ orm, clock, clientKeys, spikes })),
    implementation(
      ErrorService,
      errorService({
        find,
        changes,
        allErrors: allErrors({ orm, projects, grants, log }),
        errorProject: errorProject({ backends, grants }),
        readHeads: ingestion.readHeads,
        statusChanges,
      }),
    ),
    implementation(
      DeletionService,
      forwarded(DeletionService, find, ({ deletions }) => deletions),
    ),
    implementation(ReleaseService, forwarded(ReleaseService, find)),
    implementation(OutcomeService, outcomeService(outcomes)),
    implementation(
      IngestService,
      ingestService({
        projects,
        queue: ingestion.queue,
        rateLimits: ingestion.reportLimits,
        unstored,
        clock,
        integratedOffered,
      }),
    ),
  ];
}
