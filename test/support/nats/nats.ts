import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { atEndOf } from "../run/end-of-file.ts";
import { natsProgram } from "./nats-program.ts";
import { tempDir } from "../service/temp-dir.ts";
import { until } from "../run/until.ts";

/** One `nats-server`. */
export interface NatsNode {
  readonly name: string;
  /** Such as `nats://127.0.0.1:40123`. */
  readonly url: string;
  /** Of the process that was started last. */
  readonly pid: () => number;
  /** Ends it as a crash does. */
  kill9(): Promise<void>;
  /** Starts it again on its data; resolves when it answers. */
  start(): Promise<void>;
  /** Stops it from running, as a machine that hangs; `go` lets it run on. */
  hang(): void;
  go(): void;
}

/** Servers on free ports of the loopback interface, alone or as a cluster. */
export interface Nats {
  readonly nodes: readonly NatsNode[];
  /** All of them, as FAULTLINE_NATS_URL names them. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface NatsOptions {
  readonly servers?: 1 | 3;
  /** More lines of the configuration, in place of those of the same name. */
  readonly maxPayload?: string;
  readonly maxFileStore?: string;
}

/** Why these tests cannot run; undefined when they can. */
export const natsMissing = ((found) => ("missing" in found ? found.missing : undefined))(natsProgram());

/** Starts them; resolves when each answers and, of three, when they have a leader. */
export async function startNats(options: NatsOptions = {}): Promise<Nats> {
  const { servers = 1, maxPayload = "8MB", maxFileStore = "16GB" } = options;
  const program = natsProgram();
  if ("missing" in program) throw new Error(program.missing);
  const ports = await freePorts(servers * 3);
  const dir = tempDir();
  const routes = Array.from({ length: servers }, (_, n) => `nats://127.0.0.1:${ports[n * 3 + 1]}`);
  const nodes = Array.from({ length: servers }, (_, n) => {
    const name = `n${n + 1}`;
    const [port = 0, clusterPort = 0, monitorPort = 0] = ports.slice(n * 3);
    const configuration = join(dir, `${name}.conf`);
    mkdirSync(join(dir, name));
    // Not advertised: clients would go around a proxy to the servers that are advertised to them.
    const cluster = `cluster { name: test, listen: "127.0.0.1:${clusterPort}", routes: [${routes.join(", ")}], no_advertise: true }`;
    writeFileSync(
      configuration,
      `server_name: ${name}
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${monitorPort}"
max_payload: ${maxPayload}
jetstream { store_dir: "${join(dir, name)}", sync_interval: always, max_file_store: ${maxFileStore}, max_memory_store: 64MB }
${servers > 1 ? cluster : ""}
`,
    );
    return natsNode({ program: program.path, name, port, monitorPort, configuration });
  });
  await Promise.all(nodes.map((node) => node.start()));
  return {
    nodes,
    url: nodes.map(({ url }) => url).join(","),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill9()));
    },
  };
}

function natsNode(parts: {
  program: string;
  name: string;
  port: number;
  monitorPort: number;
  configuration: string;
}): NatsNode {
  const { program, name, port, monitorPort, configuration } = parts;
  let child: ChildProcess | undefined;
  let output = "";
  return {
    name,
    url: `nats://127.0.0.1:${port}`,
    pid: () => child?.pid ?? -1,
    async start() {
      const started = spawn(program, ["--config", configuration], { stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      atEndOf("file", () => started.kill("SIGKILL"));
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-20_000)));
      }
      await until(`nats-server ${name} to be ready`, () => isHealthy(monitorPort), { deadlineMs: 30_000 }).catch(
        (error: unknown) => {
          throw new Error(`${String(error)}; it printed:\n${output}`, { cause: error });
        },
      );
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

/** Of a cluster: it knows the leader, and what it holds is up to date. */
async function isHealthy(monitorPort: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${monitorPort}/healthz`)).ok;
  } catch {
    return false; // it does not listen yet
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once("error", reject).listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
