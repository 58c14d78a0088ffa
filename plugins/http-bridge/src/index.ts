import { contractVersion, networksOf, type Host, type Plugin, type Tracing } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import type { PublishedMetrics } from "./metrics-route.ts";
import { routesOf } from "./routes.ts";
import { HttpServer, type Pages } from "./server.ts";

/** The options of the bridge. */
export interface HttpBridgeOptions {
  /** The address to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The address people use, such as `https://errors.example.com`. Absent: the address that each caller used. */
  readonly baseUrl: string | undefined;
  /** Addresses and subnets of the proxies in front, whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /**
   * Whether SDKs and REST clients are served; otherwise other processes serve them, and this one reports its health.
   */
  readonly isOpen: boolean;
  /** The core's operations of the REST API. */
  readonly operations: readonly RestOperation[];
  /** Plugins whose operations and APIs it serves beside them. */
  readonly others: readonly Pick<Plugin, "rest" | "api">[];
  /** The metrics at `/-/metrics`. */
  readonly metrics: PublishedMetrics;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Answers all paths that are not the bridge's. */
  readonly pages: Pages;
}

/**
 * The HTTP bridge: SDK ingestion (store and envelope) and REST /api/v4, translated into calls of the core, on the one
 * public address. `url` is the address it listens on, once started.
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
