import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { http } from "../../http/http.ts";
import { startNats, type Nats, type NatsNode } from "../nats.ts";
import { startPostgresql, type PostgresqlServer } from "../../database/postgresql.ts";
import { startServer, type Server } from "../../service/server.ts";
import { tempDir } from "../../service/temp-dir.ts";
import { until } from "../../run/until.ts";
import { startLink, type Link } from "./link.ts";

/** Faultline as several processes on the loopback interface. Tests can cut the connections between its parts. */
export interface Cluster {
  readonly nats: Nats;
  readonly postgresql: PostgresqlServer;
  /** The address of the database, without proxies. */
  readonly databaseUrl: string;
  readonly bridges: readonly Part[];
  readonly workers: readonly Part[];
  /** The process from which the test reads, without proxies. */
  readonly core: Part;
  readonly links: Links;
  /** The node that leads the stream. Fails if there is none for long. */
  leader(): Promise<NatsNode>;
  /** The age of the oldest waiting message, in milliseconds; undefined while the servers do not report it. */
  lagMs(): Promise<number | undefined>;
  /** Ends every process. */
  stop(): Promise<void>;
}

/** The connections that can be cut, by the parts at their ends. */
export interface Links {
  readonly bridgesToNats: Link;
  readonly workersToNats: Link;
  readonly bridgesToPostgresql: Link;
  readonly workersToPostgresql: Link;
}

/** A process of Faultline that can be killed and started again on its data directory. */
export interface Part {
  readonly name: string;
  /** The running process; after a kill, the last one. */
  readonly server: Server;
  readonly isUp: boolean;
  kill9(): Promise<void>;
  start(): Promise<void>;
  /** Whether a load balancer would send requests to it. */
  isReady(): Promise<boolean>;
}

export interface ClusterOptions {
  /** Default 2. */
  readonly bridges?: number;
  /** Default 2. */
  readonly workers?: number;
  /** Whether parts connect directly, because proxies would take a share of the measured machine. Default: false. */
  readonly isDirect?: boolean;
}

/** Starts three NATS servers, PostgreSQL and all roles; resolves when all are ready. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { bridges: bridgeCount = 2, workers: workerCount = 2, isDirect = false } = options;
  await using started = new AsyncDisposableStack();
  // PostgreSQL syncs. Otherwise it would lose the last commits when it is stopped immediately.
  const [nats, postgresql] = await Promise.all([startNats({ servers: 3 }), startPostgresql({ syncs: true })]);
  started.defer(() => postgresql.stop("immediate"));
  started.defer(() => nats.stop());
  const databaseUrl = await postgresql.createDatabase();

  const link = async (url: string) => {
    const made = await startLink(url);
    started.defer(() => made.stop());
    return made;
  };
  const links: Links = {
    bridgesToNats: await link(nats.url),
    workersToNats: await link(nats.url),
    bridgesToPostgresql: await link(databaseUrl),
    workersToPostgresql: await link(databaseUrl),
  };

  const part = (role: string, name: string, database = databaseUrl, queue = nats.url) => {
    const made = newPart(name, {
      FAULTLINE_ROLE: role,
      FAULTLINE_DATABASE_URL: isDirect ? databaseUrl : database,
      FAULTLINE_NATS_URL: isDirect ? nats.url : queue,
      FAULTLINE_BASE_URL: "http://faultline.test",
    });
    started.defer(() => made.kill9());
    return made;
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
  const core = part("core", "core");
  const bridges = numbers(bridgeCount).map((n) =>
    part("bridge", `bridge ${n}`, links.bridgesToPostgresql.url, links.bridgesToNats.url),
  );
  const workers = numbers(workerCount).map((n) =>
    part("worker", `worker ${n}`, links.workersToPostgresql.url, links.workersToNats.url),
  );
  await core.start(); // this process makes the key file and the tables
  for (const one of [...bridges, ...workers]) {
    copyFileSync(join(core.dataDir, "secrets.json"), join(one.dataDir, "secrets.json"));
    await one.start(); // one after the other: each start takes a core for a second
  }

  const connection = await connect({ servers: nats.url.split(","), maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  started.defer(() => connection.close());
  const operator = await jetstreamManager(connection, { checkAPI: false });
  const running = started.move();
  return {
    nats,
    postgresql,
    databaseUrl,
    bridges,
    workers,
    core,
    links,
    async leader() {
      const name = await until("a leader of the stream", async () => (await intakeOf(operator))?.cluster?.leader, {
        deadlineMs: 30_000,
      });
      const node = nats.nodes.find((one) => one.name === name);
      if (!node) throw new Error(`the leader ${name} is none of the nodes`);
      return node;
    },
    async lagMs() {
      const info = await intakeOf(operator);
      if (!info) return undefined;
      return info.state.messages === 0 ? 0 : Date.parse(info.ts ?? "") - Date.parse(info.state.first_ts);
    },
    stop: () => running.disposeAsync(),
  };
}

/** The servers' report about the stream; undefined while there is none. */
function intakeOf(operator: JetStreamManager) {
  return operator.streams.info("FAULTLINE_INTAKE").catch(() => undefined);
}

function newPart(name: string, env: Readonly<Record<string, string>>) {
  const dataDir = tempDir();
  let server: Server | undefined;
  let isUp = false;
  return {
    name,
    dataDir,
    get server() {
      if (!server) throw new Error(`${name} was not started`);
      return server;
    },
    get isUp() {
      return isUp;
    },
    async start() {
      server = await startServer({ dataDir, env });
      isUp = true;
    },
    async kill9() {
      isUp = false;
      await server?.kill9();
    },
    async isReady() {
      const answer = await http(`${this.server.url}/-/readiness`).catch(() => undefined); // it does not answer
      return answer?.status === 200;
    },
  };
}
