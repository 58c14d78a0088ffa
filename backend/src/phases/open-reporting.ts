import type { Clock } from "@faultline/plugin";
import type { BuiltIn } from "../built-in.ts";
import type { State } from "./open-state.ts";
import type { Storage } from "./open-storage.ts";
import { version } from "../version.ts";
import type { Ingestion } from "./open-ingestion.ts";
import type { Telemetry } from "./open-telemetry.ts";
import type { OutboundClient } from "../host/outbound/outbound-client.ts";
import { ExternalSystem } from "../host/own-errors/external-system.ts";
import { OwnErrorSettings } from "../services/own-errors/own-error-settings.ts";

/** The phase that starts reports of the installation's own errors to the target in its settings. */
export async function openReporting(parts: {
  telemetry: Telemetry;
  storage: Storage;
  state: State;
  ingestion: Ingestion;
  rules: BuiltIn["rules"];
  outbound: OutboundClient;
  clock: Clock;
}): Promise<OwnErrorSettings> {
  const { telemetry, storage, state, ingestion, rules, outbound, clock } = parts;
  const { ownErrors, log } = telemetry;
  const { database, orm, keyRing } = storage;
  const { projects, clientKeys, integratedOffered } = state;
  ownErrors.useWays(ingestion.events, outbound);
  const externalSystem = new ExternalSystem({ outbound, clock, version });
  const own = { orm, database, keyRing, projects, clientKeys, integratedOffered };
  const reporting = new OwnErrorSettings({ ...own, rules, ownErrors, externalSystem, log });
  await reporting.apply();
  return reporting;
}
