import { contractVersion, networksOf, type Host, type Plugin, type Tracing } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import type { PublishedMetrics } from "./metrics-route.ts";
import { routesOf } from "./routes.ts";
import { HttpServer, type Pages } from "./server.ts";

/** The options of the bridge. */
export interface HttpBridgeOptions {
  /** The address to listen on. */
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** The public address, such as `https://errors.example.com`. If undefined, links use the address of each caller. */
  readonly baseUrl: string | undefined;
  /** Addresses and subnets of the trusted proxies: only their X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /**
   * Whether this process serves SDKs and REST clients. If false, other processes serve them, and this one reports its
   * health.
   */
  readonly isOpen: boolean;
  /** The core's operations of the REST API. */
  readonly operations: readonly RestOperation[];
  /** Other plugins with operations and APIs that the bridge serves. */
  readonly others: readonly Pick<Plugin, "rest" | "api">[];
  /** The metrics at `/-/metrics`. */
  readonly metrics: PublishedMetrics;
  /** Tracing is off if undefined. */
  readonly tracing?: Tracing | undefined;
  /** Answers all paths that have no route in the bridge. */
  readonly pages: Pages;
}

/**
 * The HTTP bridge: serves SDK ingestion (store and envelope) and REST /api/v4 on one public address and translates
 * requests into calls of the core. `url` returns the address it listens on, once started.
 */
export function httpBridge(options: HttpBridgeOptions): Plugin & { url(): string } {
  const { operations } = options;
  let server: HttpServer | undefined;
  let url = "";
  return {
    name: "http-bridge",
    contract: contractVersion,
    rest: operations,
    async start(host: Host) {
      const { others } = options;
      const served = {
        operations: [...operations, ...others.flatMap(({ rest = [] }) => rest)],
        apis: others.flatMap(({ api }) => api ?? []),
      };
      server = new HttpServer(host, {
        ...options,
        routes: routesOf({ ...options, ...served }, host.access),
        trusted: networksOf(options.trustedProxies),
      });
      url = await server.listen(options);
    },
    async stop() {
      await server?.close();
    },
    url: () => url,
  };
}
