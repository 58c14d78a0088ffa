import type { Plugin } from "@faultline/plugin";
import type { Config } from "../config.ts";
import type { ConsolePages } from "../console-pages.ts";
import { does } from "../roles.ts";
import type { GuardedService } from "../services/core.ts";
import type { CheckToken } from "../host/grpc/call-wall.ts";
import { GrpcServer } from "../host/grpc/server.ts";
import { countedCalls } from "../host/metrics/core-metrics.ts";
import type { Telemetry } from "./open-telemetry.ts";
import type { PluginHosts } from "../host/plugins/plugin-hosts.ts";
import type { Stops } from "../host/stops.ts";
import { tracedCalls } from "../host/tracing/traced.ts";

/** The phase that opens the public interfaces: gRPC, the plugins with their HTTP servers, and the console's pages. */
export async function openDoors(
  config: Config,
  parts: {
    services: readonly GuardedService[];
    telemetry: Telemetry;
    checkToken: CheckToken;
    plugins: readonly Plugin[];
    hosts: PluginHosts;
    pages: ConsolePages;
    stops: Stops;
  },
): Promise<{ readonly grpc: GrpcServer; readonly grpcAddress: string; loadPages(): Promise<void> }> {
  const { services, telemetry, checkToken, plugins, hosts, pages, stops } = parts;
  const { log, metrics, tracing } = telemetry;
  const { role, grpcTls, baseUrl } = config;
  const counted = countedCalls(metrics);
  const grpc = new GrpcServer(services, log, {
    checkToken,
    hasReflection: !grpcTls,
    interceptors: [counted("public"), ...tracedCalls(tracing)],
  });
  stops.add("calls over gRPC", () => grpc.stop());
  const grpcAddress = does(role, "core") ? await grpc.listen(config.grpcAddress, grpcTls) : "";
  // The console calls for all its visitors over one connection, with a call for each open page, and needs no TLS within
  // a process.
  const inner = new GrpcServer(services, log, {
    // All visitors share its address, so their wrong tokens are not counted.
    checkToken: (method, { token }) => checkToken(method, { token }),
    hasReflection: false,
    callsAtOnce: 10_000,
    interceptors: [counted("console"), ...tracedCalls(tracing)],
  });
  stops.add("calls of the console", () => inner.stop(500)); // its pages are already closed
  const innerAddress = does(role, "console") ? await inner.listen("127.0.0.1:0") : "";

  for (const plugin of plugins) {
    stops.add(`the plugin ${plugin.name}`, () => plugin.stop?.());
    await plugin.start?.(hosts.of(plugin));
  }
  return {
    grpc,
    grpcAddress,
    loadPages: async () => {
      if (does(role, "console")) await pages.load({ grpcAddress: innerAddress, baseUrl });
    },
  };
}
