import type { Clock, Deprecations, Log } from "@faultline/plugin";
import type { BuiltIn } from "../built-in.ts";
import type { Config } from "../config.ts";
import type { Ingestion } from "../host/ingest/open-ingestion.ts";
import { Unstored } from "../host/ingest/unstored.ts";
import { ingestService } from "../host/ingest/ingest-service.ts";
import type { OwnErrorSettings } from "../host/own-errors/own-error-settings.ts";
import type { Storage } from "../storage/open-storage.ts";
import type { KeyRotation } from "../storage/secrets/key-rotation.ts";
import { version } from "../version.ts";
import { accountService } from "./access/account-service.ts";
import { auditService } from "./audit/audit-service.ts";
import { clientKeyService } from "./client-keys/client-key-service.ts";
import type { CoreHandlers } from "./core.ts";
import { allErrors } from "./errors/all-errors.ts";
import { deletionService } from "./errors/deletion-service.ts";
import { errorProject } from "./errors/error-project.ts";
import { errorService } from "./errors/error-service.ts";
import { releaseService } from "./errors/release-service.ts";
import { filterService } from "./filters/filter-service.ts";
import { deprecationService } from "./instance/deprecation-service.ts";
import { instanceService } from "./instance/instance-service.ts";
import { memberRoleService } from "./members/member-role-service.ts";
import { memberService } from "./members/member-service.ts";
import type { State } from "./open-state.ts";
import { outcomeService } from "./outcomes/outcome-service.ts";
import { projectService } from "./projects/project-service.ts";
import { quotaService } from "./quotas/quota-service.ts";
import { settingsService } from "./settings/settings-service.ts";
import { userService } from "./users/user-service.ts";

/** The services' own code: one line a service. */
export function coreHandlers(
  config: Config,
  parts: {
    storage: Storage;
    state: State;
    ingestion: Ingestion;
    rules: Deprecations;
    jetstream: BuiltIn["jetstream"];
    reporting: OwnErrorSettings;
    keyRotation: KeyRotation;
    isReady: () => Promise<boolean>;
    startedAt: number;
    clock: Clock;
    baseUrl: () => string;
    log: Log;
  },
): CoreHandlers {
  const { storage, state, ingestion, rules, jetstream, reporting, keyRotation, isReady, startedAt } = parts;
  const { clock, baseUrl, log } = parts;
  const { database, orm, keyRing, ages } = storage;
  const { announcements } = database;
  const { memory, grants, projects, clientKeys, traffic, quotas, spikes, outcomes, integratedOffered } = state;
  const { delegated, dataDir } = config;
  const backends = [...state.backends.values()];
  const health = { database, clock, keyRing, outcomes, dataDir, startedAt, isReady, backends, backlog: jetstream };
  const unstored = new Unstored({ events: ingestion.unstored, deadLetters: jetstream?.deadLetters, log });
  const settingsParts = { orm, memory, clock, keyRing, projects, clientKeys, integratedOffered };
  return {
    accounts: accountService({ orm, keyRing, clock, memory, announcements, version }),
    users: userService({ orm, keyRing, clock, memory, baseUrl }),
    members: memberService({ orm, keyRing, clock, memory, baseUrl, delegated }),
    memberRoles: memberRoleService({ orm, clock, delegated }),
    audit: auditService(orm),
    instance: instanceService({ config, baseUrl, reporting, keyRotation, health }),
    deprecations: deprecationService(rules),
    projects: projectService({ orm, clock: ages.receipt, projects, clientKeys, grants, memory, delegated }),
    quotas: quotaService({ orm, projects, quotas }),
    settings: settingsService({ ...settingsParts, backends: state.backends }),
    clientKeys: clientKeyService(clientKeys, traffic),
    filters: filterService({ orm, clock, clientKeys, spikes }),
    errors: errorService({
      projects,
      allErrors: allErrors({ orm, projects, grants, log }),
      errorProject: errorProject({ backends, grants }),
    }),
    deletions: deletionService(projects),
    releases: releaseService(projects),
    outcomes: outcomeService(outcomes),
    ingest: ingestService({ projects, queue: ingestion.queue, unstored, clock, integratedOffered }),
  };
}
