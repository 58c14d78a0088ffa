import { isIP } from "node:net";
import { resolve } from "node:path";
import { isNetwork, StartRefusal } from "@faultline/plugin";
import type { GrpcTls } from "./host/grpc/tls.ts";
import type { OutboundRules } from "./host/outbound/outbound-client.ts";
import { roles, type Role } from "./roles.ts";
import { mailConfig, type MailConfig, Variables } from "./mail-config.ts";
import { tracingConfig, type TracingConfig } from "./host/tracing/tracing-config.ts";

/** The platform release with the deprecations that apply, unless the operator sets another release. */
export const defaultPlatformRelease = "18.0";

/** The offering of the service; decides whether the integrated backend is offered (specification 1.4). */
export type Offering = "hosted" | "self_managed" | "dedicated";

/** The whole configuration, read once at the start. */
export interface Config {
  /** Other roles than `all` need a database and a queue that several processes share. */
  readonly role: Role;
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Addresses and subnets. */
    readonly trustedProxies: readonly string[];
  };
  readonly grpcAddress: string;
  /** Undefined for plaintext on a loopback address. */
  readonly grpcTls: GrpcTls | undefined;
  readonly dataDir: string;
  /** The address of PostgreSQL, with the password; undefined for the SQLite file in the data directory. */
  readonly databaseUrl: string | undefined;
  /**
   * The NATS servers that hold accepted items until they are stored, with the password. Undefined if items are stored
   * when they are accepted.
   */
  readonly natsUrl: string | undefined;
  /** Undefined for the HTTP address. */
  readonly baseUrl: string | undefined;
  readonly rootPassword: string | undefined;
  readonly rootToken: string | undefined;
  readonly offering: Offering;
  /** The release of the platform with the rules that hold, such as `18.0` (specification section 9). */
  readonly platformRelease: string;
  /** Events a second, and sessions a second; 0 means no limit. */
  readonly rateLimits: { readonly perKey: number; readonly perProject: number };
  /** Calls a second of one token to REST, gRPC and Sentry's web API; 0 means no limit. */
  readonly callsPerToken: number;
  /** Who may add accounts and stored data. Administrators always may. */
  readonly delegated: {
    readonly projectCreation: "everyone" | "administrators";
    /** `maintainers` are people who may change the members of a project. */
    readonly invitations: "maintainers" | "administrators";
  };
  readonly outbound: OutboundRules;
  /** Undefined if no mail is sent. */
  readonly mail: MailConfig | undefined;
  /** Opens the metrics to other machines; undefined if only this machine may read them. */
  readonly metricsToken: string | undefined;
  /** Undefined if nothing is traced. */
  readonly tracing: TracingConfig | undefined;
  readonly logLevel: string;
}

const offerings: readonly Offering[] = ["hosted", "self_managed", "dedicated"];
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/**
 * Reads `FAULTLINE_*`, and `OTEL_*` for traces, and reports all faults together. Only this function reads the
 * environment.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const read = new Variables(environment);
  const http = httpOf(read);
  const grpc = grpcOf(read);
  const outbound = outboundOf(read);
  const baseUrl = read.text("BASE_URL")?.replace(/\/+$/, "");
  read.check(
    baseUrl === undefined || isWebAddress(baseUrl),
    "FAULTLINE_BASE_URL must look like https://errors.example.com, without a path",
  );
  const shared = sharedOf(read, baseUrl);
  const platformRelease = read.text("PLATFORM_RELEASE") ?? defaultPlatformRelease;
  read.check(
    /^\d{1,3}\.(\d|1[01])$/.test(platformRelease),
    "FAULTLINE_PLATFORM_RELEASE must look like 18.0: a major and a minor from 0 to 11",
  );
  const config: Config = {
    ...shared,
    http,
    ...grpc,
    dataDir: resolve(read.text("DATA_DIR") ?? "data"),
    baseUrl,
    rootPassword: read.text("ROOT_PASSWORD"), // checked at the first start, like every new password
    // A token lookup is immediate, while a password costs 30 ms of hashing: a short token could be guessed.
    rootToken: read.secret("ROOT_TOKEN", 24, ", and may be left out after the first start"),
    offering: read.choice("OFFERING", offerings, "hosted"),
    platformRelease,
    rateLimits: { perKey: read.rate("RATE_LIMIT_KEY", 300), perProject: read.rate("RATE_LIMIT_PROJECT", 600) },
    callsPerToken: read.rate("API_RATE_LIMIT", 50),
    delegated: {
      projectCreation: read.choice("PROJECT_CREATION", ["everyone", "administrators"], "everyone"),
      invitations: read.choice("INVITATIONS", ["maintainers", "administrators"], "maintainers"),
    },
    outbound,
    mail: mailConfig(read, baseUrl),
    metricsToken: read.secret("METRICS_TOKEN"),
    tracing: tracingConfig((name) => environment[name]?.trim() || undefined, read.faults),
    logLevel: read.choice("LOG_LEVEL", logLevels, "warn"),
  };
  if (read.faults.length > 0) throw new StartRefusal(`The configuration cannot be used: ${read.faults.join("; ")}.`);
  return config;
}

function httpOf(read: Variables): Config["http"] {
  const port = read.text("HTTP_PORT") ?? "8080";
  read.check(/^\d{1,5}$/.test(port) && Number(port) <= 65_535, "FAULTLINE_HTTP_PORT must be a number from 0 to 65535");
  const trustedProxies = read.list("TRUSTED_PROXIES");
  read.check(
    trustedProxies.every(isNetwork),
    "FAULTLINE_TRUSTED_PROXIES must be addresses or subnets joined by commas, such as 127.0.0.1,10.0.0.0/8",
  );
  return { host: read.text("HTTP_HOST") ?? "127.0.0.1", port: Number(port), trustedProxies };
}

function grpcOf(read: Variables): Pick<Config, "grpcAddress" | "grpcTls"> {
  const grpcAddress = read.text("GRPC_ADDRESS") ?? "127.0.0.1:50051";
  const [, host, port] = /^(\[[0-9a-f:]+\]|[^:\s]+):(\d{1,5})$/i.exec(grpcAddress) ?? [];
  const cert = read.text("GRPC_TLS_CERT");
  const key = read.text("GRPC_TLS_KEY");
  const clientCa = read.text("GRPC_TLS_CLIENT_CA");
  const grpcTls = cert !== undefined && key !== undefined ? { cert, key, clientCa } : undefined;
  if (host === undefined || Number(port) > 65_535) {
    read.faults.push("FAULTLINE_GRPC_ADDRESS must look like 127.0.0.1:50051");
  } else {
    read.check(
      grpcTls !== undefined || isLoopback(host),
      "FAULTLINE_GRPC_ADDRESS must be a loopback address, such as 127.0.0.1:50051, because tokens would cross the network in the clear; to allow connections from other machines, set FAULTLINE_GRPC_TLS_CERT and FAULTLINE_GRPC_TLS_KEY",
    );
  }
  const [missing, given] = key === undefined ? ["KEY", "CERT"] : ["CERT", "KEY"];
  read.check(
    (cert === undefined) === (key === undefined),
    `FAULTLINE_GRPC_TLS_${missing} must be set, because FAULTLINE_GRPC_TLS_${given} is set`,
  );
  read.check(
    clientCa === undefined || grpcTls !== undefined,
    "FAULTLINE_GRPC_TLS_CLIENT_CA must come with FAULTLINE_GRPC_TLS_CERT and FAULTLINE_GRPC_TLS_KEY",
  );
  return { grpcAddress, grpcTls };
}

function outboundOf(read: Variables): OutboundRules {
  const networks = read.list("OUTBOUND_NETWORKS");
  read.check(
    networks.every(isNetwork),
    "FAULTLINE_OUTBOUND_NETWORKS must be addresses or subnets joined by commas, such as 10.0.0.0/8",
  );
  const ports = read.list("OUTBOUND_PORTS");
  read.check(
    ports.every((one) => /^\d{1,5}$/.test(one) && Number(one) > 0 && Number(one) < 65_536),
    "FAULTLINE_OUTBOUND_PORTS must be numbers from 1 to 65535 joined by commas, such as 8443",
  );
  return { networks, ports: ports.map(Number) };
}

/** The addresses that the processes of an installation share. Every role except `all` requires them. */
function sharedOf(read: Variables, baseUrl: string | undefined): Pick<Config, "role" | "databaseUrl" | "natsUrl"> {
  const databaseUrl = read.text("DATABASE_URL");
  read.check(
    databaseUrl === undefined || isPostgresql(databaseUrl),
    "FAULTLINE_DATABASE_URL must look like postgres://user:password@db.example.com:5432/faultline",
  );
  const natsUrl = read.text("NATS_URL");
  read.check(
    natsUrl === undefined || databaseUrl !== undefined,
    "FAULTLINE_NATS_URL must come with FAULTLINE_DATABASE_URL, because one machine with SQLite needs no queue",
  );
  const role = read.choice("ROLE", roles, "all");
  const needed = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, BASE_URL: baseUrl };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? `FAULTLINE_${name}` : []));
  read.check(
    role === "all" || missing.length === 0,
    `the role ${role} runs only part of the service and needs a shared database, queue and address: set ${missing.join(" and ")}, or start without a role`,
  );
  return { role, databaseUrl, natsUrl };
}

/**
 * The configuration of the command line: the address of the service, and the caller. Secrets come from the environment,
 * never as arguments.
 */
export interface CommandConfig {
  readonly grpcAddress: string;
  /** Whether calls may be plaintext: only if the address belongs to this machine, and no authority is named. */
  readonly isGrpcPlaintext: boolean;
  /** The file of the authority that signed the service's certificate; undefined if this machine already trusts it. */
  readonly grpcTlsCa: string | undefined;
  readonly dataDir: string;
  /** Undefined if the data is the SQLite file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly token: string | undefined;
  readonly password: string | undefined;
  /** The auth token for an external system. */
  readonly externalToken: string | undefined;
}

/** Reads the configuration of commands. */
export function readCommandConfig(environment: NodeJS.ProcessEnv = process.env): CommandConfig {
  const read = new Variables(environment);
  const grpcAddress = read.text("GRPC_ADDRESS") ?? "127.0.0.1:50051";
  const grpcTlsCa = read.text("GRPC_TLS_CA");
  return {
    grpcAddress,
    isGrpcPlaintext: grpcTlsCa === undefined && isLoopback(grpcAddress.replace(/:\d+$/, "")),
    grpcTlsCa,
    dataDir: resolve(read.text("DATA_DIR") ?? "data"),
    databaseUrl: read.text("DATABASE_URL"),
    token: read.text("TOKEN"),
    password: environment["FAULTLINE_PASSWORD"] || undefined,
    externalToken: read.text("EXTERNAL_TOKEN"),
  };
}

/** Whether `host` can be reached only from this machine. Names other than `localhost` may resolve to any address. */
function isLoopback(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  return host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Whether `text` is an http or https origin. */
function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase();
}

/** Whether `text` names a database of PostgreSQL. */
function isPostgresql(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && /^\/[^/]+$/.test(url.pathname);
}
