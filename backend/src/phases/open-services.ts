import type { Clock, Host } from "@faultline/plugin";
import type { Config } from "../config.ts";
import { secretsOf } from "../storage/secrets/encrypted-columns.ts";
import type { OpenErrorChanges } from "./open-error-changes.ts";
import type { CheckToken } from "../host/grpc/call-wall.ts";
import type { Telemetry } from "./open-telemetry.ts";
import { readersOf } from "../services/access/readers.ts";
import { eventRegrouping, headReading } from "../host/plugins/boot-checks.ts";
import { PluginHosts } from "../host/plugins/plugin-hosts.ts";
import {
  accessTo,
  coreOf,
  guardedServices,
  implementationsOf,
  invokeAs,
  tokenCheck,
  type GuardedService,
} from "../services/core.ts";
import { ownServices, type OwnParts } from "./own-services.ts";
import { keptParts } from "../services/quotas/kept-beside.ts";

/** The phase that guards the services of the core and of the plugins, and creates the host for the plugins. */
export function openServices(
  config: Config,
  parts: Omit<OwnParts, "changes"> & {
    telemetry: Telemetry;
    changes: OpenErrorChanges;
    given: Pick<Host, "deprecations" | "scheduler" | "outbound">;
    passing: Clock;
  },
): { readonly services: readonly GuardedService[]; readonly hosts: PluginHosts; readonly checkToken: CheckToken } {
  const { storage, state, ingestion, plugins, telemetry, changes, given, isReady, clock, passing } = parts;
  const { log, logOf, metrics } = telemetry;
  const { database, ages, keyRing } = storage;
  const own = {
    events: ingestion.events,
    errorChanges: changes.publisher,
    regroup: eventRegrouping(plugins),
    readHeads: headReading(plugins),
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
  const hosts = new PluginHosts({ ...given, ...own }, { logOf, transitions, admitStoring });
  quotas.countBeside(keptParts(plugins, (plugin) => hosts.of(plugin)));
  const all = [...ownServices(config, { ...parts, changes: changes.stream }), ...implementationsOf(plugins, hosts)];
  const services = guardedServices(all, { ...state, log });
  const walls = { guard: state.guard, log };
  const [core, access] = [coreOf(services), accessTo(services, { ...walls, clock: passing })];
  hosts.useCore((plugin) => ({ core, access, invoke: invokeAs(plugin, services, walls) }));
  return { services, hosts, checkToken: tokenCheck(walls) };
}
