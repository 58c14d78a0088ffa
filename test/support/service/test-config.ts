import type { Config } from "../../../backend/src/config.ts";
import { databaseOf } from "../database/database-of.ts";
import { rootPassword, rootToken } from "./server.ts";

/** The configuration of a service in the test's process, on a clock that the test moves. */
export function testConfig(dataDir: string): Config {
  return {
    role: "all",
    http: { host: "127.0.0.1", port: 0, trustedProxies: [] },
    grpcAddress: "127.0.0.1:0",
    grpcTls: undefined,
    dataDir,
    databaseUrl: databaseOf(dataDir),
    natsUrl: undefined,
    baseUrl: undefined,
    rootPassword,
    rootToken,
    offering: "hosted",
    platformRelease: "18.0",
    rateLimits: { perKey: 0, perProject: 0 },
    callsPerToken: 0,
    delegated: { projectCreation: "everyone", invitations: "maintainers" },
    outbound: { networks: ["127.0.0.0/8"], ports: [] },
    mail: undefined,
    metricsToken: undefined,
    tracing: undefined,
    logLevel: "error",
  };
}
