import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import settings from "../../../scripts/node-settings.json" with { type: "json" };
import { databaseOf } from "../database/database-of.ts";
import { atEndOf } from "../run/end-of-file.ts";
import { tempDir } from "./temp-dir.ts";
import { stretched } from "../run/deadlines.ts";
import { until } from "../run/until.ts";

export const repositoryRoot = join(import.meta.dirname, "../../..");
/** A prelude that waits until the process gets SIGCONT. */
export const held = "kill -STOP $$";
export const rootPassword = "correct horse battery staple";
export const rootToken = "flp_test-token-of-the-administrator";

export interface ServerOptions {
  /** Default: a new temporary directory. */
  readonly dataDir?: string;
  /** The checkout of the release to run. Default: this release. */
  readonly root?: string;
  /** Environment variables in addition to the variables that every test server gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the garbage of the start is collected, like in production, for tests of memory. Default: false. */
  readonly isCollected?: boolean;
  /** A shell command before the service's first line. */
  readonly prelude?: string;
  /** Default: it ends with the test file that started it. With `process`, it does not keep the process alive. */
  readonly lasts?: "file" | "process";
}

/** A running service: a child process on free ports of the loopback interface. */
export interface Server {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Such as `127.0.0.1:40124`. */
  readonly grpcAddress: string;
  readonly dataDir: string;
  readonly pid: number;
  /** All output so far. */
  output(): string;
  hasEnded(): boolean;
  /** Asks it to stop like a service manager, and returns the exit code. */
  stop(signal?: "SIGINT" | "SIGTERM"): Promise<number>;
  /** Ends it as a crash does. */
  kill9(): Promise<void>;
}

/** A process of the service that may fail to start. */
export interface Launch {
  readonly process: ChildProcess;
  readonly dataDir: string;
  output(): string;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const readyLine = /^Faultline is ready: (http:\/\/\S+) {2}gRPC (\S+)$/m;

/**
 * The flags of start.mjs without `--expose-gc`, because collecting garbage after each of hundreds of starts takes 0.15
 * s of a core.
 */
export const nodeFlags = settings.flags.filter((flag) => flag !== "--expose-gc");

/**
 * The program of start.mjs and of the command line, which `npm test` builds. Starting from the sources takes twice as
 * long.
 */
export const bundle = "backend/build/faultline.js";

/** The environment that the start.mjs of a release sets. Older releases had it elsewhere. */
function environmentOf(root: string): Readonly<Record<string, string>> {
  const file = join(root, "scripts/node-settings.json");
  if (!existsSync(file)) return settings.environment;
  return (JSON.parse(readFileSync(file, "utf8")) as typeof settings).environment;
}

/** The program that start.mjs runs. Older releases had no bundle. */
function programOf(root: string): readonly string[] {
  return existsSync(join(root, bundle)) ? [bundle, "serve"] : ["backend/src/main.ts"];
}

/** Starts the service without waiting for it. */
export function launch(options: ServerOptions = {}): Launch {
  const { lasts = "file", dataDir = tempDir(lasts), root = repositoryRoot, env = {}, isCollected, prelude } = options;
  const command = [process.execPath, ...(isCollected ? settings.flags : nodeFlags), ...programOf(root)];
  const databaseUrl = databaseOf(dataDir);
  const [program = "", ...args] =
    prelude === undefined ? command : ["sh", "-c", `${prelude}; exec "$0" "$@"`, ...command];
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      ...environmentOf(root),
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled"), // like start.mjs
      HOME: dataDir, // the service reads and writes nothing outside the data directory
      FAULTLINE_HTTP_HOST: "127.0.0.1",
      FAULTLINE_HTTP_PORT: "0",
      FAULTLINE_GRPC_ADDRESS: "127.0.0.1:0",
      FAULTLINE_DATA_DIR: dataDir,
      ...(databaseUrl !== undefined && { FAULTLINE_DATABASE_URL: databaseUrl }),
      FAULTLINE_ROOT_PASSWORD: rootPassword,
      FAULTLINE_ROOT_TOKEN: rootToken,
      FAULTLINE_RATE_LIMIT_KEY: "0", // tests of limits set their own limits; other tests send as fast as they can
      FAULTLINE_RATE_LIMIT_PROJECT: "0",
      FAULTLINE_API_RATE_LIMIT: "0",
      ...env,
    },
  });
  atEndOf(lasts, () => child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? -1));
  });
  if (lasts === "process") for (const handle of [child, child.stdout as Socket, child.stderr as Socket]) handle.unref();
  return { process: child, dataDir, output: () => output, ended };
}

/** Starts the service and waits for its ready line. Fails with its output if it ends before. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { process: child, dataDir, output, ended } = launch(options);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ready = await until("the ready line", () => readyLine.exec(output()) ?? (hasEnded() && "ended"), {
    deadlineMs: 30_000,
    everyMs: 10,
  }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw new Error(`${String(error)}; the service printed:\n${output()}`, { cause: error });
  });
  if (ready === "ended") throw new Error(`the service ended with ${await ended} before it was ready:\n${output()}`);
  const [, url = "", grpcAddress = ""] = ready;
  let isAskedToEnd = false;

  return {
    url,
    grpcAddress,
    dataDir,
    pid: child.pid ?? -1,
    output,
    hasEnded,
    async stop(signal = "SIGTERM") {
      if (!isAskedToEnd && hasEnded()) throw new Error(`the service ended by itself with ${await ended}:\n${output()}`);
      isAskedToEnd = true;
      child.kill(signal);
      const late = setTimeout(() => child.kill("SIGKILL"), stretched(15_000));
      const ending = await ended;
      clearTimeout(late);
      if (typeof ending !== "number") throw new Error(`the service ended by ${ending}:\n${output()}`);
      return ending;
    },
    async kill9() {
      isAskedToEnd = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
}
