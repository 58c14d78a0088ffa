import type { Clock, Core, Deprecations, Host, Outbound, Plugin, Scheduler } from "@faultline/plugin";
import type { Config } from "../config.ts";
import type { ConsolePages } from "../console-pages.ts";
import { does } from "../roles.ts";
import { doorChecks } from "../services/core.ts";
import type { State } from "../services/open-state.ts";
import type { Storage } from "../storage/open-storage.ts";
import { GrpcServer } from "./grpc/server.ts";
import type { Ingestion } from "./ingest/open-ingestion.ts";
import { countedCalls } from "./metrics/grpc-calls.ts";
import type { Telemetry } from "./open-telemetry.ts";
import type { Stops } from "./stops.ts";
import { tracedCalls } from "./tracing/grpc-calls.ts";

/** The phase that opens what others call: gRPC, the plugins with their HTTP servers, and the console's pages. */
export async function openDoors(
  config: Config,
  parts: {
    core: Core;
    telemetry: Telemetry;
    storage: Storage;
    state: State;
    ingestion: Ingestion;
    plugins: readonly Plugin[];
    rules: Deprecations;
    scheduler: Scheduler;
    outbound: Outbound;
    pages: ConsolePages;
    clock: Clock;
    isReady: () => Promise<boolean>;
    stops: Stops;
  },
): Promise<{ readonly grpc: GrpcServer; readonly grpcAddress: string; loadPages(): Promise<void> }> {
  const { core, telemetry, storage, state, ingestion, plugins, rules, pages, stops, ...shared } = parts;
  const { log, logOf, metrics, tracing } = telemetry;
  const { role, grpcTls, baseUrl } = config;
  const counted = countedCalls(metrics);
  const access = doorChecks({ guard: state.guard, log });
  const grpc = new GrpcServer(core, log, {
    checkToken: access.checkToken,
    hasReflection: !grpcTls,
    interceptors: [counted("public"), ...tracedCalls(tracing)],
  });
  stops.add("calls over gRPC", () => grpc.stop());
  const grpcAddress = does(role, "core") ? await grpc.listen(config.grpcAddress, grpcTls) : "";
  // The console calls for all its visitors over one connection, a call an open page, and needs no TLS within a process.
  const inner = new GrpcServer(core, log, {
    // All its visitors have its address, so that wrong tokens of theirs are counted for nobody.
    checkToken: (method, { token }) => access.checkToken(method, { token }),
    hasReflection: false,
    callsAtOnce: 10_000,
    interceptors: [counted("console"), ...tracedCalls(tracing)],
  });
  stops.add("calls of the console", () => inner.stop(500)); // its pages are gone by then
  const innerAddress = does(role, "console") ? await inner.listen("127.0.0.1:0") : "";

  const { database, ages } = storage;
  const host: Omit<Host, "log"> = {
    ...shared,
    core,
    access,
    deprecations: rules,
    events: ingestion.events,
    database,
    metrics,
    deletionClock: ages.deletion,
  };
  for (const plugin of plugins) {
    stops.add(`the plugin ${plugin.name}`, () => plugin.stop?.());
    await plugin.start?.({ ...host, log: logOf(plugin.name) });
  }
  return {
    grpc,
    grpcAddress,
    loadPages: async () => {
      if (does(role, "console")) await pages.load({ grpcAddress: innerAddress, baseUrl });
    },
  };
}
