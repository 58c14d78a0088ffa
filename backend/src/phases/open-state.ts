import type { Clock, Plugin } from "@faultline/plugin";
import type { Config } from "../config.ts";
import { backendsByKind, servicesWith } from "../host/plugins/boot-checks.ts";
import type { Storage } from "./open-storage.ts";
import { AccessMemory } from "../services/access/access-memory.ts";
import { CallLimits } from "../services/access/call-limits.ts";
import { CallerDirectory } from "../services/access/caller.ts";
import { Grants } from "../services/access/grants.ts";
import { Guard, LoopTime } from "../services/access/guard.ts";
import { needsOf } from "../services/access/permissions.ts";
import { AuditLog } from "../services/audit/audit-log.ts";
import { ClientKeys } from "../services/client-keys/client-keys.ts";
import { KeyTraffic } from "../services/client-keys/key-traffic.ts";
import { EventHours } from "../services/filters/event-hours.ts";
import { SpikeProtection } from "../services/filters/spike-protection.ts";
import { Outcomes } from "../services/outcomes/outcomes.ts";
import { ProjectDirectory } from "../services/projects/project-directory.ts";
import { Quotas } from "../services/quotas/quotas.ts";

export type State = Awaited<ReturnType<typeof openState>>;

/** The phase that creates the state that the services share with each other and with ingestion. */
export async function openState(
  config: Config,
  parts: {
    storage: Storage;
    plugins: readonly Plugin[];
    clock: Clock;
    passing: Clock;
    busy: () => number;
    baseUrl: () => string;
  },
) {
  const { storage, plugins, clock, passing, busy, baseUrl } = parts;
  const { database, orm, keyRing, ages, disk } = storage;
  const { announcements } = database;
  const integratedOffered = config.offering === "hosted";

  const memory = new AccessMemory(announcements);
  const grants = new Grants(orm, memory);
  const guard = new Guard({
    callers: new CallerDirectory({ orm, keyRing, clock, memory }),
    grants,
    limits: new CallLimits(passing, config.callsPerToken),
    loopTime: new LoopTime(busy),
    needOf: needsOf(servicesWith(plugins)),
  });
  const backends = backendsByKind(plugins);
  const show = plugins.flatMap(({ showEvent }) => showEvent ?? []);
  const projects = new ProjectDirectory({ orm, memory, keyRing, backends, integratedOffered, show });
  const traffic = new KeyTraffic(database, clock);
  const clientKeys = new ClientKeys({ orm, keyRing, clock, baseUrl, integratedOffered, announcements, traffic });
  /** The backend that stores events in this installation. */
  const storing = [...backends.values()].find((backend) => backend.storeBatch);
  const quotas = new Quotas({ database, clock, disk, usage: async () => (await storing?.usage?.()) ?? [] });
  await quotas.open();
  const eventHours = new EventHours(database, clock);
  const eventsPerSecond = config.rateLimits.perProject;
  const spikes = new SpikeProtection({ hours: eventHours, clock, passing, announcements, eventsPerSecond });
  await spikes.readUsualDays();
  const outcomes = new Outcomes(database, clock);
  const audit = new AuditLog(orm, ages.receipt);
  return {
    integratedOffered,
    memory,
    grants,
    guard,
    backends,
    storing,
    projects,
    traffic,
    clientKeys,
    quotas,
    eventHours,
    spikes,
    outcomes,
    audit,
  };
}
