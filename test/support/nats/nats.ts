import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTcpProxy, type TcpProxy } from "../http/tcp-proxy.ts";
import { atEndOf } from "../run/end-of-file.ts";
import { natsProgram } from "./nats-program.ts";
import { tempDir } from "../service/temp-dir.ts";
import { until } from "../run/until.ts";

/** One `nats-server`. */
export interface NatsNode {
  readonly name: string;
  /** Such as `nats://127.0.0.1:40123`. */
  readonly url: string;
  /** The id of the process that was started last. */
  readonly pid: () => number;
  /** Ends it as a crash does. */
  kill9(): Promise<void>;
  /** Starts it again on its data. Resolves when it answers. */
  start(): Promise<void>;
  /** Suspends it, like a machine that hangs; `go` resumes it. */
  hang(): void;
  go(): void;
}

/**
 * Servers, alone or as a cluster. At each start, each server listens on new ports that the system assigns, and reports
 * them in a file. Clients and the other servers of a cluster reach it through proxies with fixed addresses.
 */
export interface Nats {
  readonly nodes: readonly NatsNode[];
  /** The addresses of all servers, in the form of FAULTLINE_NATS_URL. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface NatsOptions {
  readonly servers?: 1 | 3;
  /** A value of the configuration in place of the default. */
  readonly maxPayload?: string;
  readonly maxFileStore?: string;
}

/** Why these tests cannot run; undefined if they can. */
export const natsMissing = ((found) => ("missing" in found ? found.missing : undefined))(natsProgram());

/** Starts the servers. Resolves when each answers and a cluster has a leader. */
export async function startNats(options: NatsOptions = {}): Promise<Nats> {
  const { servers = 1, maxPayload = "8MB", maxFileStore = "16GB" } = options;
  const program = natsProgram();
  if ("missing" in program) throw new Error(program.missing);
  const dir = tempDir();
  const nodes = await Promise.all(Array.from({ length: servers }, (_, n) => proxiedNode(join(dir, `n${n + 1}`))));
  const routes = nodes.map(({ routeProxy }) => `nats://127.0.0.1:${routeProxy.port}`);
  // Addresses are not advertised, because clients would bypass the proxies and use them.
  const cluster = `cluster { name: test, listen: "127.0.0.1:-1", routes: [${routes.join(", ")}], no_advertise: true }`;
  const running = nodes.map((node, n) => {
    const configuration = join(node.dir, "nats.conf");
    writeFileSync(
      configuration,
      `server_name: n${n + 1}
listen: "127.0.0.1:-1"
http: "127.0.0.1:-1"
ports_file_dir: "${node.dir}"
max_payload: ${maxPayload}
jetstream { store_dir: "${node.dir}", sync_interval: always, max_file_store: ${maxFileStore}, max_memory_store: 64MB }
${servers > 1 ? cluster : ""}
`,
    );
    return natsNode({ program: program.path, name: `n${n + 1}`, configuration, ...node });
  });
  await Promise.all(running.map((node) => node.start()));
  return {
    nodes: running,
    url: running.map(({ url }) => url).join(","),
    async stop() {
      await Promise.all(running.map((node) => node.kill9()));
      await Promise.all(nodes.flatMap(({ proxy, routeProxy }) => [proxy.stop(), routeProxy.stop()]));
    },
  };
}

/** The ports that a server reported after its last start; 0 before it has. */
interface Ports {
  client: number;
  route: number;
  monitor: number;
}

/** A server before its start. */
interface ProxiedNode {
  readonly dir: string;
  readonly ports: Ports;
  /** For clients. */
  readonly proxy: TcpProxy;
  /** For the other servers of its cluster. */
  readonly routeProxy: TcpProxy;
}

async function proxiedNode(dir: string): Promise<ProxiedNode> {
  mkdirSync(dir);
  const ports: Ports = { client: 0, route: 0, monitor: 0 };
  const proxy = await startTcpProxy(() => ports.client);
  const routeProxy = await startTcpProxy(() => ports.route);
  return { dir, ports, proxy, routeProxy };
}

function natsNode(parts: ProxiedNode & { program: string; name: string; configuration: string }): NatsNode {
  const { program, name, dir, ports, proxy, configuration } = parts;
  let child: ChildProcess | undefined;
  let output = "";
  return {
    name,
    url: `nats://127.0.0.1:${proxy.port}`,
    pid: () => child?.pid ?? -1,
    async start() {
      Object.assign(ports, { client: 0, route: 0, monitor: 0 });
      const started = spawn(program, ["--config", configuration], { stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      atEndOf("file", () => started.kill("SIGKILL"));
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-20_000)));
      }
      const isReady = async () => {
        Object.assign(ports, reportedPorts(join(dir, `nats-server_${started.pid}.ports`)));
        return ports.monitor > 0 && isHealthy(ports.monitor);
      };
      await until(`nats-server ${name} to be ready`, isReady, { deadlineMs: 30_000 }).catch((error: unknown) => {
        throw new Error(`${String(error)}; it printed:\n${output}`, { cause: error });
      });
    },
    async kill9() {
      const ending = child;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise((resolve) => ending.once("close", resolve));
      ending.kill("SIGKILL");
      await ended;
    },
    hang: () => void child?.kill("SIGSTOP"),
    go: () => void child?.kill("SIGCONT"),
  };
}

/** The ports in the file that nats-server writes; undefined until the file exists. */
function reportedPorts(file: string): Ports | undefined {
  if (!existsSync(file)) return undefined;
  type Report = Readonly<Record<"nats" | "cluster" | "monitoring", readonly string[] | undefined>>;
  const { nats, cluster, monitoring } = JSON.parse(readFileSync(file, "utf8")) as Report;
  const portOf = (urls: readonly string[] | undefined) => Number(urls?.[0]?.split(":").at(-1) ?? 0);
  return { client: portOf(nats), route: portOf(cluster), monitor: portOf(monitoring) };
}

/** Whether a server of a cluster knows the leader and its data is up to date. */
async function isHealthy(monitorPort: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${monitorPort}/healthz`)).ok;
  } catch {
    return false; // it does not listen yet
  }
}
